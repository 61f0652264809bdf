#include <sqlite3.h>

// Swift does not see functions with a variable number of arguments.
static inline int sealring_sqlite_without_memory_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
