internal import RuntimeLibraries

/// Ed448 (RFC 8032 §5.2) by OpenSSL's libcrypto, because swift-crypto does not have it. The library is opened for the first key.
/// Without it, as on iOS, such keys are refused with an error that says so.
enum Ed448 {
  static let keyBytes = 57
  static let signatureBytes = 114

  /// Whether this machine can verify Ed448 signatures.
  static var isAvailable: Bool { functions != nil }

  /// Whether the library accepts the bytes as a key. It decides how far it checks that they are a point on the curve.
  static func isKey(_ key: [UInt8]) -> Bool {
    guard key.count == keyBytes, let functions, let key = functions.key(key) else { return false }
    functions.freeKey(key)
    return true
  }

  static func isValid(_ signature: [UInt8], over message: [UInt8], by key: [UInt8]) -> Bool {
    guard signature.count == signatureBytes, key.count == keyBytes, let functions,
      let key = functions.key(key)
    else { return false }
    defer { functions.freeKey(key) }
    guard let context = functions.newContext() else { return false }
    defer { functions.freeContext(context) }
    // Ed448 hashes by itself: there is no digest to name, and no engine.
    guard functions.begin(context, nil, nil, nil, key) == 1 else { return false }
    return functions.verify(context, signature, signature.count, message, message.count) == 1
  }

  private static let library = RuntimeLibrary(
    title: "OpenSSL 3 (libcrypto)",
    candidates: RuntimeLibrary.candidates(linux: "libcrypto.so.3", apple: "libcrypto.3.dylib"),
    installation: "apt-get install libssl3")

  private static let functions = try? Functions(library.open())

  /// From `openssl/evp.h`. EVP's functions may be called from any thread, each with objects of its own.
  private struct Functions: Sendable {
    typealias Key = UnsafeMutableRawPointer
    typealias Context = UnsafeMutableRawPointer

    /// NID_ED448, which is EVP_PKEY_ED448.
    private static let type: Int32 = 1088

    private let newKey: @Sendable @convention(c) (Int32, OpaquePointer?, UnsafePointer<UInt8>?, Int) -> Key?
    let freeKey: @Sendable @convention(c) (Key?) -> Void
    let newContext: @Sendable @convention(c) () -> Context?
    let freeContext: @Sendable @convention(c) (Context?) -> Void
    let begin:
      @Sendable @convention(c) (Context?, OpaquePointer?, OpaquePointer?, OpaquePointer?, Key?) -> Int32
    let verify:
      @Sendable @convention(c) (Context?, UnsafePointer<UInt8>?, Int, UnsafePointer<UInt8>?, Int) -> Int32

    init(_ library: RuntimeLibrary.Functions) throws(RuntimeLibraryError) {
      newKey = try library.function("EVP_PKEY_new_raw_public_key")
      freeKey = try library.function("EVP_PKEY_free")
      newContext = try library.function("EVP_MD_CTX_new")
      freeContext = try library.function("EVP_MD_CTX_free")
      begin = try library.function("EVP_DigestVerifyInit")
      verify = try library.function("EVP_DigestVerify")
    }

    func key(_ bytes: [UInt8]) -> Key? { newKey(Self.type, nil, bytes, bytes.count) }
  }
}
