// pam_sealring: a person proves to PAM who they are with a key of this machine (docs/linux.md, "sudo and login").
// The module makes a fresh challenge, has the person's agent sign it, and verifies the signature with a key that root has enrolled. What
// the agent says is never believed: it may be another program of the same user. A service of root's is believed: it has what needs a network
// or a file that changes, which are a server's journey, recovery codes and the log. Nothing else is a success.
// The signature is verified here: a helper would need fork and waitpid in programs that may have threads, and children, of their own.
#define _GNU_SOURCE
#include <errno.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
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

#define DIGITS "0123456789abcdefABCDEF"
#define LETTERS_AND_DIGITS DIGITS "ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ"
enum { MOST_KEYS = 16, LONGEST_FILE = 8192, LONGEST_COMMAND = 3000, MOST_TURNS = 12, LONGEST_WAIT = 90, IS_RECOVERY = -1 };

// What the line in /etc/pam.d says.
typedef struct {
  const char *keys;    // The folder of the enrolled keys.
  const char *socket;  // The agent's, instead of the standard ones.
  const char *check;   // That of root's service.
  enum { LOCAL, SERVER, EITHER, BOTH } mode;
  // A key that only asks for consent is not enough; others than the person here, or root, may ask; nobody gets in without a signed record.
  bool needs_pin, any_caller, ledger;
} settings;

// Text that is written to a limit; what does not fit makes it void.
typedef struct { char bytes[16384]; size_t length; bool is_full; } text;

// One run of the module.
typedef struct {
  pam_handle_t *pam;
  int flags;
  settings set;
  const char *user;
  uid_t account;
  char keys[MOST_KEYS][131];    // Points of P-256 in hexadecimal digits.
  int enrolled, count;          // How many of them root's file has, and how many the challenge.
  bool has_account, has_codes;  // At the server; for recovery.
  text request;
  char nonce[65];
  char signature[160];  // The agent's, in hexadecimal digits.
  char code[64];        // A recovery code that was typed in place of a PIN.
} attempt;

__attribute__((format(printf, 2, 3))) static void put(text *text, const char *format, ...) {
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
  put_escaped(text, value, strlen(value));
  put(text, "\n");
}

// Whether only root can change what `path` names. A folder like /tmp may be on the way: there nobody replaces what is root's.
static bool is_only_roots(const char *path, bool is_last) {
  struct stat status;
  if (lstat(path, &status) || status.st_uid != 0 || S_ISLNK(status.st_mode)) return false;
  return !(status.st_mode & 022) || (!is_last && S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX));
}

// A name that is a file's name, too, and looks the same everywhere.
static bool is_user_name(const char *name) {
  size_t length = strlen(name);
  return length >= 1 && length <= 64 && !strchr("-.", name[0]) && strspn(name, LETTERS_AND_DIGITS "._-") == length;
}

// Reads root's file about the user: the keys that are good enough, and what else they have; a PAM_ code.
static int read_enrolled(attempt *at) {
  char path[4096], line[512];
  int length = snprintf(path, sizeof path, "%s/%s", at->set.keys, at->user);
  if (at->set.keys[0] != '/' || length < 0 || (size_t)length >= sizeof path) return PAM_SERVICE_ERR;
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return PAM_USER_UNKNOWN;
  struct stat status;
  // The file, and each folder on the way.
  bool is_safe = file >= 0 && !fstat(file, &status) && S_ISREG(status.st_mode) && status.st_size <= LONGEST_FILE && is_only_roots(path, true);
  for (char *slash = path + 1; is_safe && (slash = strchr(slash, '/')); slash++) {
    *slash = 0;
    is_safe = is_only_roots(path, strlen(path) == strlen(at->set.keys));
    *slash = '/';
  }
  FILE *stream = is_safe ? fdopen(file, "r") : NULL;
  if (!stream) {
    if (file >= 0) close(file);
    pam_syslog(at->pam, LOG_ERR, "%s is not used: it and each folder above must belong to root, and only root may write to them", path);
    return PAM_AUTH_ERR;
  }
  while (fgets(line, sizeof line, stream)) {
    char kind[16], digits[132];
    if (line[0] == '#' || sscanf(line, "%15s %131s", kind, digits) != 2) continue;
    if (!strcmp(kind, "server")) at->has_account = true;
    if (!strcmp(kind, "recovery")) at->has_codes = true;
    if (at->enrolled == MOST_KEYS || (strcmp(kind, "pin") && (at->set.needs_pin || strcmp(kind, "consent")))) continue;
    if (!strncmp(digits, "04", 2) && strspn(digits, DIGITS) == 130 && !digits[130]) strcpy(at->keys[at->enrolled++], digits);
    else pam_syslog(at->pam, LOG_WARNING, "%s has a line that is not a key", path);
  }
  fclose(stream);
  return PAM_SUCCESS;
}

// The command line of this process, and how many bytes of it were left out. Of a program like sudo it is what was asked to run.
static void put_command(text *text) {
  char program[4096], command[LONGEST_COMMAND];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length < 0 ? 0 : length] = 0;
  put_line(text, "program", program);
  FILE *file = fopen("/proc/self/cmdline", "re");
  // Without the first word, however long: its caller has chosen it. Of a program like sshd, which writes a title over it, there is no other.
  for (int byte = 1; file && byte > 0;) byte = fgetc(file);
  size_t count = file ? fread(command, 1, sizeof command, file) : 0, rest = 0, end = count;
  while (file && fgetc(file) != EOF) rest++;
  if (file) fclose(file);
  while (end > 0 && !command[end - 1]) end--;
  if (!end && !rest) count = 0;
  put(text, "command");
  for (size_t word, start = 0; start < count; start += word + 1) {
    put(text, " ");
    put_escaped(text, command + start, word = strnlen(command + start, count - start));
  }
  put(text, "\nleft-out %zu\n", rest);
}

// What the program that asks says; empty where it says nothing.
static const char *item(const attempt *at, int which) {
  const void *value = NULL;
  return pam_get_item(at->pam, which, &value) == PAM_SUCCESS && value ? value : "";
}

// The challenge. Its first line is one of nothing else that keys sign: a JWS has no blanks, and a sign-in by SSH begins with a length.
static bool make_request(attempt *at, const char *verify) {
  text *text = &at->request;
  unsigned char nonce[32];
  char host[256] = "";
  if (getrandom(nonce, sizeof nonce, 0) != sizeof nonce || gethostname(host, sizeof host - 1)) return false;
  for (size_t i = 0; i < sizeof nonce; i++) snprintf(at->nonce + 2 * i, 3, "%02x", nonce[i]);
  memset(text, 0, sizeof *text);
  put(text, "sealring-pam 1\nnonce %s\ntime %lld\n", at->nonce, (long long)time(NULL));
  put_line(text, "host", host);
  put_line(text, "service", item(at, PAM_SERVICE));
  put_line(text, "user", at->user);
  put_line(text, "caller", item(at, PAM_RUSER));
  put_line(text, "remote", item(at, PAM_RHOST));
  put_line(text, "terminal", item(at, PAM_TTY));
  put_command(text);
  put(text, "verify %s\n", verify);
  for (int i = 0; i < at->count; i++) put(text, "key %s\n", at->keys[i]);
  put(text, "\n");
  return !text->is_full;
}

// Whether the agent's signature is one of the challenge by the key (ECDSA on P-256 with SHA-256, DER). A point off the curve is no key.
static bool verifies(const attempt *at, const char *key) {
  // SubjectPublicKeyInfo (RFC 5480) up to the point.
  unsigned char information[91] = {0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
                                   0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00};
  unsigned char signature[sizeof at->signature / 2];
  const unsigned char *start = information;
  size_t count, length;
  // The program that loaded this module may use libcrypto, and look at its errors.
  ERR_set_mark();
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  bool is_read = OPENSSL_hexstr2buf_ex(information + 26, 65, &count, key, 0) && count == 65 &&
                 OPENSSL_hexstr2buf_ex(signature, sizeof signature, &length, at->signature, 0);
  EVP_PKEY *public = is_read ? d2i_PUBKEY(NULL, &start, sizeof information) : NULL;
  bool is_valid = public && context && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, public) == 1 &&
                  EVP_DigestVerify(context, signature, length, (const unsigned char *)at->request.bytes, at->request.length) == 1;
  EVP_MD_CTX_free(context);
  EVP_PKEY_free(public);
  ERR_pop_to_mark();
  return is_valid;
}

// A connection to a socket that `user` listens at; -1 without one. A link could lead to somebody else's, to whom nothing is sent.
static int connect_to(const char *path, uid_t user) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if ((size_t)snprintf(address.sun_path, sizeof address.sun_path, "%s", path) >= sizeof address.sun_path) return -1;
  int agent = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct timeval longest_send = {.tv_sec = 5}, longest_wait = {.tv_sec = user ? LONGEST_WAIT : 2 * LONGEST_WAIT};
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (agent >= 0 && !setsockopt(agent, SOL_SOCKET, SO_SNDTIMEO, &longest_send, sizeof longest_send) &&
      !setsockopt(agent, SOL_SOCKET, SO_RCVTIMEO, &longest_wait, sizeof longest_wait) && !connect(agent, (struct sockaddr *)&address, sizeof address) &&
      !getsockopt(agent, SOL_SOCKET, SO_PEERCRED, &peer, &length) && peer.uid == user)
    return agent;
  if (agent >= 0) close(agent);
  return -1;
}

// Sends all at once, into a connection that has room for it; not a SIGPIPE in somebody else's process.
static bool send_text(int peer, const text *text) {
  return !text->is_full && send(peer, text->bytes, text->length, MSG_NOSIGNAL) == (ssize_t)text->length;
}

// One line without its end; false at the end of the connection, of the time, or of the room.
static bool receive_line(int peer, char *line, size_t room) {
  for (size_t count = 0; count < room; count++) {
    ssize_t got;
    do got = recv(peer, line + count, 1, 0); while (got < 0 && errno == EINTR);
    if (got != 1) return false;
    if (line[count] == '\n') return line[count] = 0, true;
  }
  return false;
}

// How much of the line at `start` is shown.
static int shown(const char *start, size_t most) {
  return (int)(strcspn(start, "\n") < most ? strcspn(start, "\n") : most);
}

// What the person is asked, from the challenge: visible ASCII. Of a long command the beginning, so that the PIN is asked for in sight.
static void describe(const text *request, char *line, size_t room) {
  const char *service = strstr(request->bytes, "\nservice ") + 9, *terminal = strstr(request->bytes, "\nterminal ") + 10;
  const char *command = strstr(request->bytes, "\ncommand") + 8;
  bool is_whole = strcspn(command, "\n") <= 300 && strstr(command, "\nleft-out 0\n");
  snprintf(line, room, "Sealring: %.*s on %.*s,%.*s%s", shown(service, 64), service, shown(terminal, 64), terminal, shown(command, 300), command,
           is_whole ? "" : " ...");
}

// A recovery code: five groups of four letters and digits, which nobody has as a PIN.
static bool is_recovery(const char *typed) {
  for (int group = 0; group < 5; group++, typed += 5)
    if (strspn(typed, LETTERS_AND_DIGITS) != 4 || typed[4] != (group < 4 ? '-' : 0)) return false;
  return true;
}

// Asks for a secret, also under PAM_SILENT, and passes it on; a PAM_ code, or IS_RECOVERY when a code was typed for the PIN.
static int pass_secret(attempt *at, int peer, bool is_root, const char *question) {
  char *typed = is_root && *at->code ? strdup(at->code) : NULL;
  if (!typed && pam_prompt(at->pam, PAM_PROMPT_ECHO_OFF, &typed, "%s", question) != PAM_SUCCESS) return PAM_CONV_ERR;
  explicit_bzero(at->code, sizeof at->code);
  if (!typed) return PAM_AUTH_ERR;
  text answer = {.length = 0};
  put(&answer, "pin ");
  put_escaped(&answer, typed, strlen(typed));
  put(&answer, "\n");
  int result = *typed && strlen(typed) <= 512 ? PAM_SUCCESS : PAM_AUTH_ERR;
  if (!is_root && is_recovery(typed)) strcpy(at->code, typed), result = IS_RECOVERY;
  else if (result == PAM_SUCCESS && !send_text(peer, &answer)) result = PAM_AUTH_ERR;
  explicit_bzero(&answer, sizeof answer);
  explicit_bzero(typed, strlen(typed));
  free(typed);
  return result;
}

// Talks to the agent until it has signed, or to root's service until it has approved; a PAM_ code. The agent's words are never shown.
static int converse(attempt *at, int peer, bool is_root) {
  char line[512], asked[512], question[700], wrong[64];
  bool is_told = false;
  // Root's service was there: that it is too busy to answer must not turn mode=either into the key alone.
  const int ended = is_root ? PAM_AUTH_ERR : PAM_AUTHINFO_UNAVAIL;
  describe(&at->request, asked, sizeof asked);
  if (!send_text(peer, &at->request)) return ended;
  for (int turn = 0, left, result = PAM_SUCCESS; turn < MOST_TURNS && result == PAM_SUCCESS; turn++) {
    if (!receive_line(peer, line, sizeof line)) return ended;
    const char *told = NULL;
    if (is_root && !strncmp(line, "approved ", 9)) {
      if (!strcmp(line + 9, at->nonce)) return PAM_SUCCESS;
      break;
    } else if (is_root && (!strncmp(line, "ask ", 4) || !strncmp(line, "show ", 5))) {
      if (line[0] == 'a') result = pass_secret(at, peer, is_root, line + 4);
      else told = line + 5;
    } else if (!is_root && !strncmp(line, "signature ", 10)) {
      snprintf(at->signature, sizeof at->signature, "%s", line + 10);
      for (int i = 0; i < at->count; i++)
        if (verifies(at, at->keys[i])) return PAM_SUCCESS;
      break;
    } else if (!strcmp(line, "pin") || !strcmp(line, "wrong") || sscanf(line, "wrong %d", &left) == 1) {
      // Above the prompt, which `sudo -p` replaces, also under PAM_SILENT; in it besides for windows, which may show nothing else.
      bool is_seen = is_told || (pam_info(at->pam, "%s", asked) == PAM_SUCCESS && *item(at, PAM_TTY));
      strcpy(wrong, line[0] == 'w' ? "The PIN is wrong. " : "");
      if (sscanf(line, "wrong %d", &left) == 1) snprintf(wrong, sizeof wrong, "The PIN is wrong, tries left: %d. ", left);
      snprintf(question, sizeof question, "%s%s%sPIN: ", is_seen ? "" : asked, is_seen ? "" : "\n", wrong);
      is_told = true;
      result = pass_secret(at, peer, is_root, question);
    } else if (!strcmp(line, "asking")) {
      snprintf(question, sizeof question, "%s\nAnswer the question on your desktop.", asked);
      told = question;
    } else {
      result = !strcmp(line, "unavailable") ? PAM_AUTHINFO_UNAVAIL : !strcmp(line, "locked") ? PAM_MAXTRIES : PAM_AUTH_ERR;
      if (result == PAM_MAXTRIES) told = "Sealring: too many wrong tries, none is accepted for now.";
    }
    // A number for the phone is needed, also where programs like sudo want no messages.
    if (told && (is_root || !(at->flags & PAM_SILENT))) pam_info(at->pam, "%s", told);
    if (result != PAM_SUCCESS) return result;
  }
  pam_syslog(at->pam, LOG_ERR, "the answer for %s is not to this challenge, or not by an enrolled key that is good enough", at->user);
  return PAM_AUTH_ERR;
}

// Asks what `peer` is connected to; a PAM_ code. `verify` says for what, with a new challenge.
static int ask(attempt *at, int peer, bool is_root, const char *verify) {
  at->count = is_root ? 0 : at->enrolled;
  int result = peer < 0 ? PAM_AUTHINFO_UNAVAIL : !verify || make_request(at, verify) ? converse(at, peer, is_root) : PAM_SYSTEM_ERR;
  if (peer >= 0) close(peer);
  return result;
}

static int by_root(attempt *at, const char *verify) { return ask(at, connect_to(at->set.check, 0), true, verify); }
static int by_server(attempt *at) { return at->has_account ? by_root(at, at->set.ledger ? "transaction" : "server") : PAM_AUTHINFO_UNAVAIL; }

static int by_agent(attempt *at) {
  if (!at->enrolled) return PAM_USER_UNKNOWN;
  // Never from the environment: the person who runs sudo chooses that.
  char own[64];
  snprintf(own, sizeof own, "/run/user/%lu/sealring/pam.socket", (unsigned long)at->account);
  int agent = connect_to(at->set.socket ? at->set.socket : own, at->account);
  if (agent < 0) agent = connect_to(at->set.socket ? at->set.socket : "/run/sealring/pam.socket", 0);
  if (agent < 0) pam_syslog(at->pam, LOG_NOTICE, "no agent of %s listens", at->user);
  int result = ask(at, agent, false, at->set.needs_pin ? "pin" : "consent");
  if (result != PAM_SUCCESS || !at->set.ledger) return result;
  // Root's service keeps the challenge as it was signed, before anybody is let in.
  put(&at->request, "signature %s\n", at->signature);
  return by_root(at, NULL);
}

// Whether another account's program asks, such as `su mira` of babs, or another host: of key and PIN they need only the PIN here.
static bool is_strangers(const attempt *at) {
  const char *caller = item(at, PAM_RUSER);
  return *item(at, PAM_RHOST) || (*caller && strcmp(caller, at->user) && strcmp(caller, "root")) || (getuid() && getuid() != at->account);
}

static bool read_settings(pam_handle_t *pam, int count, const char **words, settings *set) {
  static const char *modes[] = {"mode=local", "mode=server", "mode=either", "mode=both"};
  for (int i = 0, mode; i < count; i++) {
    for (mode = LOCAL; mode <= BOTH && strcmp(words[i], modes[mode]); mode++) {}
    if (mode <= BOTH) set->mode = mode;
    else if (!strncmp(words[i], "keys=", 5)) set->keys = words[i] + 5;
    else if (!strncmp(words[i], "socket=", 7)) set->socket = words[i] + 7;
    else if (!strncmp(words[i], "check=", 6)) set->check = words[i] + 6;
    else if (!strcmp(words[i], "verify=pin") || !strcmp(words[i], "verify=consent")) set->needs_pin = words[i][7] == 'p';
    else if (!strcmp(words[i], "callers=any")) set->any_caller = true;
    else if (!strcmp(words[i], "ledger=yes")) set->ledger = true;
    else return pam_syslog(pam, LOG_ERR, "the option %s is not known, so nobody is let in", words[i]), false;
  }
  return true;
}

static int authenticate(attempt *at) {
  int result = pam_get_user(at->pam, &at->user, NULL);
  if (result != PAM_SUCCESS) return result == PAM_CONV_AGAIN ? PAM_INCOMPLETE : result;
  struct passwd *account = at->user && is_user_name(at->user) ? pam_modutil_getpwnam(at->pam, at->user) : NULL;
  if (!account) return PAM_USER_UNKNOWN;
  at->account = account->pw_uid;
  if (!at->set.any_caller && is_strangers(at))
    return pam_syslog(at->pam, LOG_NOTICE, "%s is not asked: another account or host wants to know (callers=any)", at->user), PAM_AUTHINFO_UNAVAIL;
  // Nothing of root's is kept busy for people whom it knows nothing about: every user can run sudo.
  result = read_enrolled(at);
  if (result != PAM_SUCCESS) return result;
  result = at->set.mode == LOCAL || at->set.mode == BOTH ? by_agent(at) : by_server(at);
  if (at->set.mode == EITHER && result == PAM_AUTHINFO_UNAVAIL) result = by_agent(at);
  if (at->set.mode == BOTH && result == PAM_SUCCESS) result = by_server(at);
  // The way out, where no PIN was asked for, which a code could have stood for.
  if (result == PAM_SUCCESS || (result == PAM_AUTH_ERR && at->set.mode == LOCAL)) return result;
  if (at->has_codes && by_root(at, "recovery") == PAM_SUCCESS) return PAM_SUCCESS;
  return result == IS_RECOVERY ? PAM_AUTH_ERR : result;
}

__attribute__((visibility("default"))) int pam_sm_authenticate(pam_handle_t *pam, int flags, int count, const char **words) {
  attempt at = {.pam = pam, .flags = flags, .set = {.keys = "/etc/sealring/pam", .check = "/run/sealring/pam-check.socket", .needs_pin = true}};
  int result = read_settings(pam, count, words, &at.set) ? authenticate(&at) : PAM_SERVICE_ERR;
  explicit_bzero(&at, sizeof at);
  return result;
}

__attribute__((visibility("default"))) int pam_sm_setcred(pam_handle_t *pam, int flags, int count, const char **words) {
  return (void)pam, (void)flags, (void)count, (void)words, PAM_SUCCESS;
}
