// Swift's module of the C library leaves this out.
#ifdef __linux__
#include <sys/epoll.h>
#endif
