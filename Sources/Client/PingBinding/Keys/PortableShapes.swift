#if !canImport(Security)
  public import DeviceKeys
  public import JOSE

  // The published names, which are SecKey and SecKeyAlgorithm on Apple platforms (SecKeyShapes.swift), with what stands for
  // those elsewhere.

  extension KeyPair {
    public var publicKey: JWK { jwk }
    public var privateKey: any DeviceKey { deviceKey }
  }

  extension SigningParameters {
    public var algorithm: JWSAlgorithm { jwsAlgorithm }
  }

  extension UserKeySigningParameters {
    public var algorithm: JWSAlgorithm { jwsAlgorithm }
    /// Unlocked.
    public var privateKey: any DeviceKey { deviceKey }
    public var publicKey: JWK { jwk }
  }
#endif
