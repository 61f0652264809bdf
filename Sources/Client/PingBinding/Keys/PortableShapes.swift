#if !canImport(Security)
  public import DeviceKeys
  public import JOSE

  // The published names with the portable types. On Apple platforms they are SecKey and SecKeyAlgorithm (SecKeyShapes.swift).

  extension KeyPair {
    public var publicKey: JWK { jwk }
    public var privateKey: any DeviceKey { deviceKey }
  }

  extension SigningParameters {
    public var algorithm: JWSAlgorithm { jwsAlgorithm }
  }

  extension UserKeySigningParameters {
    public var algorithm: JWSAlgorithm { jwsAlgorithm }
    /// The private key, unlocked.
    public var privateKey: any DeviceKey { deviceKey }
    public var publicKey: JWK { jwk }
  }
#endif
