// rules.txt is the Public Suffix List (https://publicsuffix.org/list/), its maintainers' work, in another form: both sections, without
// comments, names in ASCII, sorted by bytes. scripts/public-suffixes writes it; do not edit it.
//
// rules.txt is subject to the terms of the Mozilla Public License, v. 2.0. If a copy of the MPL was not distributed with this file, You
// can obtain one at https://mozilla.org/MPL/2.0/.

#include "CPublicSuffixes.h"

#ifndef __has_embed
#error "The list needs a compiler that has #embed: clang 19 or later, which comes with Swift 6.2 and Xcode 26."
#endif
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t rules[] = {
#embed "rules.txt"
};

const uint8_t *PublicSuffixRules_start(void) { return rules; }

size_t PublicSuffixRules_count(void) { return sizeof rules; }
