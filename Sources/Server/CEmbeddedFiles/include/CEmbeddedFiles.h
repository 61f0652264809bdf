/// The files that the server carries in its program, one declaration each; `#embed` puts their bytes there (C23 §6.10.4).
///
/// Swift sees each as a property of `EmbeddedFile`. SwiftPM's own way (`embedInCode`) writes a literal with an element for each byte, with which the
/// compiler was busy for half a minute: docs/history/performance.md, "Where the time of a first build goes".
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Bytes that are there as long as the program is.
typedef struct __attribute__((swift_attr("@Sendable"))) EmbeddedFile {
  const uint8_t *_Nonnull start;
  size_t count;
} EmbeddedFile;

#define EMBEDDED_FILE(name) \
  EmbeddedFile EmbeddedFile_##name(void) __attribute__((swift_name("getter:EmbeddedFile." #name "()")))

// The pages: templates and texts.

/// The template of that name, without its suffix; empty when there is none.
EmbeddedFile EmbeddedFile_template(const char *_Nonnull name) __attribute__((swift_name("EmbeddedFile.template(_:)")));

EMBEDDED_FILE(texts);

// Styles and scripts that pages load.
EMBEDDED_FILE(sealring_css);
EMBEDDED_FILE(activity_js);
EMBEDDED_FILE(ledger_verify_js);
EMBEDDED_FILE(live_js);
EMBEDDED_FILE(pages_css);
EMBEDDED_FILE(pages_js);
EMBEDDED_FILE(plots_js);
EMBEDDED_FILE(signin_callbacks_js);
EMBEDDED_FILE(signin_codes_js);
EMBEDDED_FILE(signin_desktop_js);
EMBEDDED_FILE(signin_journey_js);
EMBEDDED_FILE(signin_main_js);
EMBEDDED_FILE(signin_markup_js);
EMBEDDED_FILE(signin_passkeys_js);
EMBEDDED_FILE(signin_providers_js);
EMBEDDED_FILE(signin_server_js);
EMBEDDED_FILE(signin_texts_js);
EMBEDDED_FILE(signin_view_js);
EMBEDDED_FILE(signin_waiting_js);
EMBEDDED_FILE(signin_words_js);

/// The journey of every realm of that name; empty when there is none.
EmbeddedFile EmbeddedFile_journey(const char *_Nonnull name) __attribute__((swift_name("EmbeddedFile.journey(_:)")));

// What journey scripts find around them.
EMBEDDED_FILE(callbacks_js);
EMBEDDED_FILE(legacy_js);
EMBEDDED_FILE(run_js);
EMBEDDED_FILE(services_js);
EMBEDDED_FILE(state_js);

// What pages of old clients run for a passkey.
EMBEDDED_FILE(webauthn_create_js);
EMBEDDED_FILE(webauthn_get_js);
EMBEDDED_FILE(webauthn_waiting_js);
EMBEDDED_FILE(webauthn_js);

// Passwords that attackers try first, in lower case, one a line, sorted by bytes.
EMBEDDED_FILE(common_passwords_txt);

// The package of `sealring init app`.
EMBEDDED_FILE(app_Package_swift);
EMBEDDED_FILE(app_Payments_swift);
EMBEDDED_FILE(app_PaymentsTests_swift);
EMBEDDED_FILE(app_test_yml);
EMBEDDED_FILE(app_gitignore);
EMBEDDED_FILE(app_Containerfile);
EMBEDDED_FILE(app_README_md);
