#include <tss2/tss2_esys.h>
#include <tss2/tss2_tctildr.h>
