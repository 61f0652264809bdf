// Calls of libcurl's functions that take any number of arguments, which Swift cannot make by itself. Sealring opens the
// library when it needs it, and gives the functions that it has found there.
#pragma once

static inline int sealring_curl_set_pointer(void *function, void *handle, int option, const void *value) {
  return ((int (*)(void *, int, ...))function)(handle, option, value);
}

static inline int sealring_curl_set_number(void *function, void *handle, int option, long value) {
  return ((int (*)(void *, int, ...))function)(handle, option, value);
}

static inline int sealring_curl_set_size(void *function, void *handle, int option, long long value) {
  return ((int (*)(void *, int, ...))function)(handle, option, value);
}

static inline int sealring_curl_get_number(void *function, void *handle, int info, long *value) {
  return ((int (*)(void *, int, ...))function)(handle, info, value);
}

// struct curl_blob of curl/easy.h, with CURL_BLOB_COPY.
static inline int sealring_curl_set_blob(void *function, void *handle, int option, const void *bytes, unsigned long count) {
  struct { void *data; unsigned long len; unsigned int flags; } blob = {(void *)bytes, count, 1};
  return ((int (*)(void *, int, ...))function)(handle, option, &blob);
}
