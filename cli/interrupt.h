/* Ctrl-C, SIGTERM and SIGHUP while there is something to tidy up. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/** From now on the first SIGINT, SIGTERM or SIGHUP is only noted; a second one of the same kind kills at once. */
void interrupt_catch(void);

/** Whether one was noted. */
int interrupt_caught(void);

/** Ends the catching. If one was noted, the program dies of it here, so that a shell sees what happened. */
void interrupt_release(void);

#endif
