#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <tss2/tss2_rc.h>
#include <tss2/tss2_tctildr.h>

/* Swift finds the bytes of these behind their size, without the name of the member (SizedBuffer). */
#define SEALRING_BYTES_FOLLOW_SIZE(type, member)                                   \
  _Static_assert(__builtin_offsetof(type, member) == sizeof(UINT16) &&             \
                     sizeof(type) == sizeof(UINT16) + sizeof(((type *)0)->member), \
                 #type)
SEALRING_BYTES_FOLLOW_SIZE(TPM2B_DIGEST, buffer);
SEALRING_BYTES_FOLLOW_SIZE(TPM2B_DATA, buffer);
SEALRING_BYTES_FOLLOW_SIZE(TPM2B_ECC_PARAMETER, buffer);
SEALRING_BYTES_FOLLOW_SIZE(TPM2B_MAX_NV_BUFFER, buffer);
SEALRING_BYTES_FOLLOW_SIZE(TPM2B_MAX_BUFFER, buffer);
SEALRING_BYTES_FOLLOW_SIZE(TPM2B_PUBLIC_KEY_RSA, buffer);
SEALRING_BYTES_FOLLOW_SIZE(TPM2B_ATTEST, attestationData);
