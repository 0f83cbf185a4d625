/* Ctrl-C, SIGTERM and SIGHUP while there is something to tidy up. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/** From now on the first SIGINT, SIGTERM or SIGHUP is only noted; a second one of the same kind kills at once. Called
 *  again, it waits for a first one again: for work that is still to be done after one was noted. */
void interrupt_catch(void);

/** Whether one was noted since interrupt_catch was last called. */
int interrupt_caught(void);

/** Ends the catching. If one was ever noted, the program dies of it here, so that a shell sees what happened. */
void interrupt_release(void);

#endif
