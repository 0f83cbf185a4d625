/* A hint that memory will soon be read; nothing where the compiler has no such thing. */
#ifndef MXB_BASE_PREFETCH_H
#define MXB_BASE_PREFETCH_H

#if defined(__GNUC__)
#define MXB__PREFETCH(address) __builtin_prefetch(address)
#else
#define MXB__PREFETCH(address) ((void)(address))
#endif

#endif
