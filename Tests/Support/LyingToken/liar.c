// A PKCS#11 module for tests that lies. It passes every call on to SoftHSM, and changes the answers that its own file name speaks of:
// liar-FAULT.so has the fault FAULT while a file liar-FAULT.so.on stands beside it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long word;
typedef unsigned char byte;
typedef struct { word type; void *value; word length; } attribute;
typedef struct { byte major, minor; void *functions[68]; } functions;

static functions mine, *real;
static char path[4096];

static int lies(const char *fault) {
  char name[256], flag[4200];
  snprintf(name, sizeof name, "/liar-%s.so", fault);
  snprintf(flag, sizeof flag, "%s.on", path);
  return strstr(path, name) && access(flag, F_OK) == 0;
}

enum { slots = 4, info = 6, login = 18, attributes = 24, find = 27, sign = 43, pair = 59 };

static word get_slots(byte present, word *list, word *count) {
  static int calls;
  word room = *count, code = ((word(*)(byte, word *, word *))real->functions[slots])(present, list, count);
  if (lies("growing") && list) { *count = room + 1; return 0x150; }
  if (lies("growing-once") && list && calls++ == 0) { *count = room + 1; return 0x150; }
  if (lies("more-slots-than-room") && list) *count = room + 1000;
  if (lies("endless-slots")) *count = 1UL << 60;
  return code;
}

static word get_info(word slot, byte *token) {
  word code = ((word(*)(word, byte *))real->functions[info])(slot, token), flags;
  memcpy(&flags, token + 96, sizeof flags);
  if (lies("count-low")) flags |= 0x10000;
  if (lies("final-try")) flags |= 0x30000;
  if (lies("locked")) flags |= 0x40000;
  if (lies("no-pin")) flags &= ~0x4UL;
  if (lies("other-token")) memset(token + 80, 'x', 16);
  if (lies("hardware")) memset(token + 32, ' ', 32), memcpy(token + 32, "ACME\33[2J", 8);
  memcpy(token + 96, &flags, sizeof flags);
  return code;
}

static word log_in(word session, word user, byte *pin, word length) {
  if (lies("locks")) return 0xA4;
  if (lies("never-logs-in")) return 0x05;
  return ((word(*)(word, word, byte *, word))real->functions[login])(session, user, pin, length);
}

static word get_attributes(word session, word object, attribute *list, word count) {
  word code = ((word(*)(word, word, attribute *, word))real->functions[attributes])(session, object, list, count);
  for (word i = 0; i < count; i++) {
    byte *value = list[i].value;
    switch (list[i].type) {
    case 0x103: if (lies("shown")) value[0] = 0; break;
    case 0x162: if (lies("extractable")) value[0] = 1; if (lies("neither")) value[0] = 7; break;
    case 0x163: if (lies("imported")) value[0] = 0; break;
    case 0x164: if (lies("once-extractable")) value[0] = 0; if (lies("unknown-attribute")) return 0x12; break;
    case 0x165: if (lies("once-shown")) value[0] = 0; break;
    case 0x180: if (lies("other-curve")) value[9] = 8; break;
    case 0x181:
      if (lies("off-curve")) value[list[i].length - 1] ^= 1;
      if (lies("short-point")) list[i].length = 10;
      if (lies("long-point")) list[i].length = 1UL << 40;
      if (lies("no-point")) list[i].length = ~0UL;
      if (lies("bare-point")) memmove(value, value + 2, 65), list[i].length = 65;
      break;
    }
  }
  return code;
}

static word find_objects(word session, word *objects, word most, word *count) {
  word code = ((word(*)(word, word *, word, word *))real->functions[find])(session, objects, most, count);
  if (lies("endless-objects")) { for (word i = 0; i < most; i++) objects[i] = 1; *count = most; }
  if (lies("more-objects")) *count = 1UL << 40;
  if (lies("no-objects")) *count = 0;
  return code;
}

static word sign_data(word session, byte *data, word length, byte *signature, word *count) {
  word code = ((word(*)(word, byte *, word, byte *, word *))real->functions[sign])(session, data, length, signature, count);
  if (lies("removed")) return 0x32;
  if (lies("long-signature")) *count = 1UL << 40;
  if (lies("short-signature")) *count = 63;
  if (lies("wrong-signature")) signature[5] ^= 1;
  if (lies("zero-signature")) memset(signature, 0, 64);
  return code;
}

static word generate_pair(word session, void *mechanism, attribute *a, word an, attribute *b, word bn, word *x, word *y) {
  if (lies("administrator")) return 0x101;
  if (lies("no-curves")) return 0x70;
  if (lies("full")) return 0x31;
  for (word i = 0; i < bn; i++)
    if (b[i].type == 0x202 && lies("no-pin-for-each")) return 0x12;
  return ((word(*)(word, void *, attribute *, word, attribute *, word, word *, word *))real->functions[pair])(
      session, mechanism, a, an, b, bn, x, y);
}

word C_GetFunctionList(void **list) {
  Dl_info where;
  // Not of this function: libp11-kit, which a process may have loaded, has one of the same name.
  if (!dladdr(&mine, &where)) return 5;
  strncpy(path, where.dli_fname, sizeof path - 1);
  void *library = dlopen("/usr/lib/softhsm/libsofthsm2.so", RTLD_NOW | RTLD_LOCAL);
  if (!library) return 5;
  word (*get)(functions **) = (word(*)(functions **))dlsym(library, "C_GetFunctionList");
  if (!get || get(&real)) return 5;
  mine = *real;
  mine.functions[slots] = get_slots;
  mine.functions[info] = get_info;
  mine.functions[login] = log_in;
  mine.functions[attributes] = get_attributes;
  mine.functions[find] = find_objects;
  mine.functions[sign] = sign_data;
  mine.functions[pair] = generate_pair;
  if (lies("no-list")) { *list = NULL; return 0; }
  if (lies("version")) mine.major = 9;
  if (lies("lacks-a-function")) mine.functions[sign] = NULL;
  *list = &mine;
  return 0;
}
