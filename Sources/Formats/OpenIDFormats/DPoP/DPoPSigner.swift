public import JOSE

/// Signs DPoP proofs, asynchronously: a key bound to the device, in a TPM or a Secure Enclave, may stand behind it.
public protocol DPoPSigner: JWSSigner {
  /// The public part of the key that signs; goes into each proof.
  var publicKey: JWK { get }
}
