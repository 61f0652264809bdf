// Issues certificates for attestation keys.
