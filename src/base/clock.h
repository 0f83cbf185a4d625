/* Time for people who wait; never part of a result. */
#ifndef MXB_BASE_CLOCK_H
#define MXB_BASE_CLOCK_H

/** Seconds since some moment, never going back. */
double mxb__seconds_now(void);

#endif
