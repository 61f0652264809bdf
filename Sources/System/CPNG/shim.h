// What libpng's simplified interface works on, as its png.h declares it for PNG_IMAGE_VERSION 1. It stands here because the library is
// opened while the program runs: building needs no libpng-dev. Within libpng16.so.16 this layout does not change.
#include <stdint.h>

typedef struct {
  void *opaque;
  uint32_t version;
  uint32_t width;
  uint32_t height;
  uint32_t format;
  uint32_t flags;
  uint32_t colormap_entries;
  uint32_t warning_or_error;
  char message[64];
} png_image;

typedef struct {
  uint8_t red;
  uint8_t green;
  uint8_t blue;
} png_color;
