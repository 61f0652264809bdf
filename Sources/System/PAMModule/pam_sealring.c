// pam_sealring: a person proves to PAM who they are with a key of this machine (docs/linux.md, "sudo and login").
//
// The module makes a fresh challenge, has the person's agent sign it, and verifies the signature with a key that root has enrolled. What
// the agent says is never believed: it may be another program of the same user. Nothing but a valid signature is a success.
//
// The signature is verified here, by libcrypto, and not by a helper: a helper would need fork, exec and waitpid in programs that may have
// several threads and wait for children of their own.
#define _GNU_SOURCE
#define PAM_SM_AUTH
#include <ctype.h>
#include <errno.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <poll.h>
#include <pwd.h>
#include <security/pam_ext.h>
#include <security/pam_modules.h>
#include <security/pam_modutil.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

enum { MOST_KEYS = 16, LONGEST_FILE = 8192, LONGEST_COMMAND = 3000, MOST_QUESTIONS = 8, LONGEST_WAIT = 90 };

// What the line in /etc/pam.d says.
typedef struct {
  const char *keys;    // The folder of the enrolled keys.
  const char *socket;  // The agent's, instead of the standard ones.
  bool needs_pin;      // Otherwise a key that only asks for consent is enough.
  bool any_caller;     // Otherwise only the person at this machine, or root, may ask.
} settings;

typedef struct { unsigned char point[65]; } public_key;

// Text that is written to a limit; what does not fit makes it void.
typedef struct { char bytes[16384]; size_t length; bool is_full; } text;

static void put(text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  size_t room = sizeof text->bytes - text->length;
  int count = vsnprintf(text->bytes + text->length, room, format, arguments);
  va_end(arguments);
  if (count < 0 || (size_t)count >= room) text->is_full = true;
  else text->length += (size_t)count;
}

// Bytes that somebody else chose, as visible ASCII without blanks: what is not, and %, as %XX.
static void put_escaped(text *text, const char *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    unsigned char byte = (unsigned char)bytes[i];
    put(text, byte > 0x20 && byte < 0x7F && byte != '%' ? "%c" : "%%%02X", byte);
  }
}

static void put_line(text *text, const char *name, const char *value) {
  put(text, "%s ", name);
  if (value) put_escaped(text, value, strlen(value));
  put(text, "\n");
}

static bool from_hexadecimal(const char *digits, size_t length, unsigned char *bytes, size_t count) {
  if (length != 2 * count) return false;
  for (size_t i = 0; i < count; i++) {
    unsigned value;
    if (!isxdigit((unsigned char)digits[2 * i]) || !isxdigit((unsigned char)digits[2 * i + 1])) return false;
    if (sscanf(digits + 2 * i, "%2x", &value) != 1) return false;
    bytes[i] = (unsigned char)value;
  }
  return true;
}

// MARK: What root enrolled

// Whether only root can change what `path` names. A folder like /tmp may be on the way: there nobody replaces what is root's.
static bool is_only_roots(const char *path, bool is_last) {
  struct stat status;
  if (lstat(path, &status) || status.st_uid != 0 || S_ISLNK(status.st_mode)) return false;
  return !(status.st_mode & 022) || (!is_last && S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX));
}

// A name that is a file's name, too, and looks the same everywhere.
static bool is_user_name(const char *name) {
  size_t length = strlen(name);
  if (length < 1 || length > 64 || name[0] == '-' || name[0] == '.') return false;
  for (; *name; name++)
    if ((unsigned char)*name > 0x7E || !(isalnum((unsigned char)*name) || strchr("._-", *name))) return false;
  return true;
}

// Reads the keys that are good enough; a PAM_ code.
static int read_keys(pam_handle_t *pam, const settings *set, const char *user, public_key keys[MOST_KEYS], int *count) {
  char path[4096], line[512];
  int length = snprintf(path, sizeof path, "%s/%s", set->keys, user);
  if (set->keys[0] != '/' || length < 0 || (size_t)length >= sizeof path) return PAM_SERVICE_ERR;
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return PAM_USER_UNKNOWN;
  struct stat status;
  bool is_safe = file >= 0 && !fstat(file, &status) && S_ISREG(status.st_mode) && status.st_uid == 0 &&
                 !(status.st_mode & 022) && status.st_size <= LONGEST_FILE;
  // Each folder on the way, and the file by its name.
  for (char *slash = path + 1; is_safe && (slash = strchr(slash, '/')); slash++) {
    *slash = 0;
    is_safe = is_only_roots(path, strlen(path) == strlen(set->keys));
    *slash = '/';
  }
  FILE *stream = is_safe ? fdopen(file, "r") : NULL;
  if (!stream) {
    if (file >= 0) close(file);
    pam_syslog(pam, LOG_ERR, "%s is not used: it and each folder above must belong to root, and only root may write to them", path);
    return PAM_AUTH_ERR;
  }
  while (fgets(line, sizeof line, stream) && *count < MOST_KEYS) {
    char kind[16], digits[132];
    if (line[0] == '#' || sscanf(line, "%15s %131s", kind, digits) != 2) continue;
    if (strcmp(kind, "pin") && (set->needs_pin || strcmp(kind, "consent"))) continue;
    if (from_hexadecimal(digits, strlen(digits), keys[*count].point, 65) && keys[*count].point[0] == 4) ++*count;
    else pam_syslog(pam, LOG_WARNING, "%s has a line that is not a key", path);
  }
  fclose(stream);
  return *count ? PAM_SUCCESS : PAM_USER_UNKNOWN;
}

// MARK: What is signed

// The command line of this process, and how many bytes of it were left out. Of a program like sudo it is what was asked to run.
static void put_command(text *text) {
  char program[4096], command[LONGEST_COMMAND];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length < 0 ? 0 : length] = 0;
  put_line(text, "program", program);
  FILE *file = fopen("/proc/self/cmdline", "re");
  size_t count = file ? fread(command, 1, sizeof command, file) : 0, rest = 0;
  while (file && fgetc(file) != EOF) rest++;
  if (file) fclose(file);
  put(text, "command");
  // Without its first word, which is what the caller calls the program.
  for (size_t start = strnlen(command, count) + 1; start < count;) {
    size_t word = strnlen(command + start, count - start);
    put(text, " ");
    put_escaped(text, command + start, word);
    start += word + 1;
  }
  put(text, "\nleft-out %zu\n", rest);
}

static void put_item(text *text, pam_handle_t *pam, const char *name, int item) {
  const void *value = NULL;
  if (pam_get_item(pam, item, &value) != PAM_SUCCESS) value = NULL;
  put_line(text, name, value);
}

// The challenge. Its first line is one of nothing else that keys sign: a JWS has no blanks, and a sign-in by SSH begins with a length.
static bool make_request(text *text, pam_handle_t *pam, const settings *set, const char *user, const public_key *keys, int count) {
  unsigned char nonce[32];
  char host[256] = "";
  if (getrandom(nonce, sizeof nonce, 0) != sizeof nonce || gethostname(host, sizeof host - 1)) return false;
  put(text, "sealring-pam 1\nnonce ");
  for (size_t i = 0; i < sizeof nonce; i++) put(text, "%02x", nonce[i]);
  put(text, "\ntime %lld\n", (long long)time(NULL));
  put_line(text, "host", host);
  put_item(text, pam, "service", PAM_SERVICE);
  put_line(text, "user", user);
  put_item(text, pam, "caller", PAM_RUSER);
  put_item(text, pam, "remote", PAM_RHOST);
  put_item(text, pam, "terminal", PAM_TTY);
  put_command(text);
  put(text, "verify %s\n", set->needs_pin ? "pin" : "consent");
  for (int i = 0; i < count; i++) {
    put(text, "key ");
    for (size_t j = 0; j < sizeof keys[i].point; j++) put(text, "%02x", keys[i].point[j]);
    put(text, "\n");
  }
  put(text, "\n");
  return !text->is_full;
}

// Whether `signature`, r and s, is one of `text` by the key (ECDSA on P-256 with SHA-256). A point that is not on the curve is no key.
static bool verifies(const public_key *key, const text *text, const unsigned char signature[64]) {
  // SubjectPublicKeyInfo (RFC 5480) up to the point.
  static const unsigned char prefix[] = {0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
                                         0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00};
  unsigned char information[sizeof prefix + 65], *encoded = NULL;
  memcpy(information, prefix, sizeof prefix);
  memcpy(information + sizeof prefix, key->point, 65);
  const unsigned char *start = information;
  // The program that loaded this module may use libcrypto, and look at its errors.
  ERR_set_mark();
  EVP_PKEY *public = d2i_PUBKEY(NULL, &start, sizeof information);
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  ECDSA_SIG *pair = ECDSA_SIG_new();
  BIGNUM *r = BN_bin2bn(signature, 32, NULL), *s = BN_bin2bn(signature + 32, 32, NULL);
  int length = -1;
  if (pair && r && s && ECDSA_SIG_set0(pair, r, s)) {
    r = s = NULL;
    length = i2d_ECDSA_SIG(pair, &encoded);
  }
  bool is_valid = public && context && length > 0 && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, public) == 1 &&
                  EVP_DigestVerify(context, encoded, (size_t)length, (const unsigned char *)text->bytes, text->length) == 1;
  BN_free(r);
  BN_free(s);
  ECDSA_SIG_free(pair);
  OPENSSL_free(encoded);
  EVP_MD_CTX_free(context);
  EVP_PKEY_free(public);
  ERR_pop_to_mark();
  return is_valid;
}

// MARK: The agent

// A connection to a socket that `user` listens at; -1 without one. Nothing is sent to anybody else: by a link a user could lead root's
// connection to a service of root's.
static int connect_to(const char *path, uid_t user) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  memcpy(address.sun_path, path, strlen(path) + 1);
  int agent = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (agent >= 0 && !connect(agent, (struct sockaddr *)&address, sizeof address) &&
      !getsockopt(agent, SOL_SOCKET, SO_PEERCRED, &peer, &length) && peer.uid == user)
    return agent;
  if (agent >= 0) close(agent);
  return -1;
}

// Waits until the agent can be read from or written to, at most until `end`.
static bool is_ready(int agent, short event, time_t end) {
  struct pollfd wait = {.fd = agent, .events = event};
  struct timespec now;
  int result = -1;
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
    result = now.tv_sec < end ? poll(&wait, 1, (int)(end - now.tv_sec) * 1000) : 0;
  } while (result < 0 && errno == EINTR);
  return result > 0;
}

static bool send_all(int agent, const char *bytes, size_t count, time_t end) {
  while (count > 0) {
    if (!is_ready(agent, POLLOUT, end)) return false;
    // Not a SIGPIPE in somebody else's process.
    ssize_t sent = send(agent, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (sent > 0) bytes += sent, count -= (size_t)sent;
  }
  return true;
}

// One line without its end; false at the end of the connection, of the time, or of the room.
static bool receive_line(int agent, char *line, size_t room, time_t end) {
  for (size_t count = 0; count < room;) {
    if (!is_ready(agent, POLLIN, end)) return false;
    ssize_t got = recv(agent, line + count, 1, 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got != 1) return false;
    if (line[count] == '\n') return line[count] = 0, true;
    count++;
  }
  return false;
}

// What the person is asked, from the challenge: visible ASCII. Of a long command the beginning, so that the PIN is asked for in sight.
static void describe(const text *request, char *line, size_t room) {
  const char *service = strstr(request->bytes, "\nservice ") + 9, *terminal = strstr(request->bytes, "\nterminal ") + 10;
  const char *command = strstr(request->bytes, "\ncommand") + 8;
  int length = (int)strcspn(command, "\n");
  snprintf(line, room, "Sealring: %.*s on %.*s,%.*s%s\n", (int)strcspn(service, "\n"), service, (int)strcspn(terminal, "\n"), terminal,
           length > 300 ? 300 : length, command, length > 300 ? " ..." : "");
}

// Asks for the PIN where the person signs in, and passes it on; a PAM_ code. A prompt is shown even where messages are not (PAM_SILENT).
static int pass_pin(pam_handle_t *pam, int agent, const char *question, const char *remark, time_t end) {
  char *pin = NULL;
  int result = pam_prompt(pam, PAM_PROMPT_ECHO_OFF, &pin, "%s%sPIN: ", question, remark);
  if (result != PAM_SUCCESS) return PAM_CONV_ERR;
  text answer = {.length = 0};
  put(&answer, "pin ");
  if (pin) put_escaped(&answer, pin, strlen(pin));
  put(&answer, "\n");
  result = !pin || !*pin || strlen(pin) > 512 || answer.is_full || !send_all(agent, answer.bytes, answer.length, end)
               ? PAM_AUTH_ERR : PAM_SUCCESS;
  explicit_bzero(&answer, sizeof answer);
  if (pin) explicit_bzero(pin, strlen(pin)), free(pin);
  return result;
}

// Talks to the agent until it has signed or refused; a PAM_ code. What the person reads is this module's, never the agent's.
static int converse(pam_handle_t *pam, int flags, int agent, const text *request, const public_key *keys, int count, bool needs_pin) {
  char line[256], asked[512];
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  time_t end = now.tv_sec + LONGEST_WAIT;
  describe(request, asked, sizeof asked);
  if (!send_all(agent, request->bytes, request->length, end)) return PAM_AUTHINFO_UNAVAIL;
  for (int question = 0; question < MOST_QUESTIONS; question++) {
    if (!receive_line(agent, line, sizeof line, end)) return PAM_AUTHINFO_UNAVAIL;
    int left, result = PAM_SUCCESS;
    char remark[64] = "";
    if (!strcmp(line, "pin") || !strcmp(line, "wrong") || sscanf(line, "wrong %d", &left) == 1) {
      if (strcmp(line, "pin")) snprintf(remark, sizeof remark, "The PIN is wrong. ");
      if (sscanf(line, "wrong %d", &left) == 1) snprintf(remark, sizeof remark, "The PIN is wrong, tries left: %d. ", left);
      result = pass_pin(pam, agent, question ? "" : asked, remark, end);
      if (result != PAM_SUCCESS) return result;
    } else if (!strcmp(line, "asking")) {
      if (!(flags & PAM_SILENT)) pam_info(pam, "%sAnswer the question on your desktop.", asked);
    } else if (!strcmp(line, "locked")) {
      if (!(flags & PAM_SILENT)) pam_error(pam, "Sealring: too many wrong PINs, none is accepted for now.");
      return PAM_MAXTRIES;
    } else if (!strncmp(line, "signature ", 10)) {
      unsigned char signature[64];
      if (!from_hexadecimal(line + 10, strlen(line + 10), signature, sizeof signature)) break;
      for (int i = 0; i < count; i++)
        if (verifies(&keys[i], request, signature)) return PAM_SUCCESS;
      break;
    } else {
      return !strcmp(line, "unavailable") ? PAM_AUTHINFO_UNAVAIL : PAM_AUTH_ERR;
    }
  }
  pam_syslog(pam, LOG_ERR, "the agent's answer is not a signature of the challenge by an enrolled key%s", needs_pin ? " with a PIN" : "");
  return PAM_AUTH_ERR;
}

// Whether another account's program asks, such as `su mira` of babs, or another host: of key and PIN they need only the PIN here.
static bool is_strangers(pam_handle_t *pam, const char *user, uid_t account) {
  const void *host = NULL, *caller = NULL;
  if (pam_get_item(pam, PAM_RHOST, &host) || pam_get_item(pam, PAM_RUSER, &caller) || (host && *(const char *)host)) return true;
  if (caller && *(const char *)caller && strcmp(caller, user) && strcmp(caller, "root")) return true;
  return getuid() != 0 && getuid() != account;
}

static bool read_settings(pam_handle_t *pam, int count, const char **words, settings *set) {
  for (int i = 0; i < count; i++) {
    if (!strncmp(words[i], "keys=", 5)) set->keys = words[i] + 5;
    else if (!strncmp(words[i], "socket=", 7)) set->socket = words[i] + 7;
    else if (!strcmp(words[i], "verify=pin")) set->needs_pin = true;
    else if (!strcmp(words[i], "verify=consent")) set->needs_pin = false;
    else if (!strcmp(words[i], "callers=any")) set->any_caller = true;
    else {
      pam_syslog(pam, LOG_ERR, "the option %s is not known, so nobody is let in", words[i]);
      return false;
    }
  }
  return true;
}

__attribute__((visibility("default"))) int pam_sm_authenticate(pam_handle_t *pam, int flags, int count, const char **words) {
  settings set = {.keys = "/etc/sealring/pam", .socket = NULL, .needs_pin = true, .any_caller = false};
  const char *user = NULL;
  if (!read_settings(pam, count, words, &set)) return PAM_SERVICE_ERR;
  int result = pam_get_user(pam, &user, NULL);
  if (result != PAM_SUCCESS) return result == PAM_CONV_AGAIN ? PAM_INCOMPLETE : result;
  if (!user || !is_user_name(user)) return PAM_USER_UNKNOWN;
  struct passwd *account = pam_modutil_getpwnam(pam, user);
  if (!account) return PAM_USER_UNKNOWN;
  if (!set.any_caller && is_strangers(pam, user, account->pw_uid)) {
    pam_syslog(pam, LOG_NOTICE, "%s is not asked: the request is another account's or another host's (callers=any)", user);
    return PAM_AUTHINFO_UNAVAIL;
  }
  public_key keys[MOST_KEYS];
  int enrolled = 0;
  result = read_keys(pam, &set, user, keys, &enrolled);
  if (result != PAM_SUCCESS) return result;
  // Never from the environment: the person who runs sudo chooses that.
  char own[64];
  snprintf(own, sizeof own, "/run/user/%lu/sealring/pam.socket", (unsigned long)account->pw_uid);
  int agent = connect_to(set.socket ? set.socket : own, account->pw_uid);
  if (agent < 0) agent = connect_to(set.socket ? set.socket : "/run/sealring/pam.socket", 0);
  if (agent < 0) {
    pam_syslog(pam, LOG_NOTICE, "no agent of %s listens", user);
    return PAM_AUTHINFO_UNAVAIL;
  }
  text *request = calloc(1, sizeof *request);
  result = PAM_SYSTEM_ERR;
  if (request && make_request(request, pam, &set, user, keys, enrolled)) result = converse(pam, flags, agent, request, keys, enrolled, set.needs_pin);
  free(request);
  close(agent);
  return result;
}

__attribute__((visibility("default"))) int pam_sm_setcred(pam_handle_t *pam, int flags, int count, const char **words) {
  (void)pam, (void)flags, (void)count, (void)words;
  return PAM_SUCCESS;
}
