// What of CryptoKit our sources use that swift-crypto does not have elsewhere.
public enum SecureEnclave {
  public static var isAvailable: Bool { false }
}
