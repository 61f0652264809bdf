/// The Public Suffix List, carried in the program by `#embed` (C23 §6.10.4).
#pragma once

#include <stddef.h>
#include <stdint.h>

/// The first byte of the rules: ASCII, one a line, sorted by bytes. They are there as long as the program is.
const uint8_t *_Nonnull PublicSuffixRules_start(void) __attribute__((swift_name("getter:publicSuffixRulesStart()")));

/// The number of bytes.
size_t PublicSuffixRules_count(void) __attribute__((swift_name("getter:publicSuffixRulesCount()")));
