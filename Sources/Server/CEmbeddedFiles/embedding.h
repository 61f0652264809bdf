#pragma once

#include "CEmbeddedFiles.h"

#ifndef __has_embed
#error "The server's files need a compiler that has #embed: clang 19 or later, which comes with Swift 6.2 and Xcode 26."
#endif
#pragma clang diagnostic ignored "-Wc23-extensions"

/// Between EMBEDDED(name) and END stands `#embed` with the file's path.
#define EMBEDDED(name) EmbeddedFile EmbeddedFile_##name(void) { static const uint8_t bytes[] = {
#define END }; return (EmbeddedFile){bytes, sizeof bytes}; }
