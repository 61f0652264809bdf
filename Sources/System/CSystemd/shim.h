#include <systemd/sd-bus.h>
// What interrupts a thread that waits for the bus.
#include <sys/eventfd.h>
