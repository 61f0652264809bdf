internal import JourneyStore
internal import RuntimeLibraries

/// The functions of a token's library that a server key needs (PKCS#11 v2.40, Cryptoki). The library is opened when a key in a
/// token is named.
///
/// `CK_ULONG` is C's `unsigned long`, which is Swift's `UInt` wherever Swift runs but on Windows.
struct PKCS11Module: Sendable {
  typealias Code = UInt
  typealias Words = UnsafeMutablePointer<UInt>

  /// `CK_ATTRIBUTE`, and `CK_MECHANISM`, which has the same form.
  struct Attribute {
    var type: UInt
    var value: UnsafeMutableRawPointer?
    var length: UInt
  }

  let getSlotList: @Sendable @convention(c) (UInt8, Words?, Words) -> Code
  let getTokenInfo: @Sendable @convention(c) (UInt, UnsafeMutableRawPointer) -> Code
  let openSession:
    @Sendable @convention(c) (UInt, UInt, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Words) -> Code
  let closeSession: @Sendable @convention(c) (UInt) -> Code
  let login: @Sendable @convention(c) (UInt, UInt, UnsafePointer<UInt8>?, UInt) -> Code
  let findObjectsInit: @Sendable @convention(c) (UInt, UnsafeMutableRawPointer?, UInt) -> Code
  let findObjects: @Sendable @convention(c) (UInt, Words, UInt, Words) -> Code
  let findObjectsFinal: @Sendable @convention(c) (UInt) -> Code
  let signInit: @Sendable @convention(c) (UInt, UnsafeMutableRawPointer, UInt) -> Code
  let sign:
    @Sendable @convention(c) (UInt, UnsafePointer<UInt8>, UInt, UnsafeMutablePointer<UInt8>, Words) -> Code
  let generateKey:
    @Sendable @convention(c) (UInt, UnsafeMutableRawPointer, UnsafeMutableRawPointer, UInt, Words) -> Code

  /// The places of functions in `CK_FUNCTION_LIST`, which all versions of the standard keep.
  private enum Place: Int {
    case initialize = 0
    case getSlotList = 4
    case getTokenInfo = 6
    case openSession = 12
    case closeSession = 13
    case login = 18
    case findObjectsInit = 26
    case findObjects = 27
    case findObjectsFinal = 28
    case signInit = 42
    case sign = 43
    case generateKey = 58
  }

  /// `CK_C_INITIALIZE_ARGS`: the library may use the system's locks.
  private struct InitializeArguments {
    var createMutex: UnsafeRawPointer?
    var destroyMutex: UnsafeRawPointer?
    var lockMutex: UnsafeRawPointer?
    var unlockMutex: UnsafeRawPointer?
    /// `CKF_OS_LOCKING_OK`
    var flags: UInt = 2
    var reserved: UnsafeRawPointer?
  }

  /// Opens the library at `path`. It stays open until the program ends.
  ///
  /// - Throws: ``StoreError/unavailable(_:)`` when it is not there, or is no such library.
  init(path: String) throws {
    let library = RuntimeLibrary(title: path, candidates: [path], installation: "")
    let list: UnsafeRawPointer
    do throws(RuntimeLibraryError) {
      let getFunctionList: @convention(c) (UnsafeMutablePointer<UnsafeRawPointer?>) -> Code =
        try library.open().function("C_GetFunctionList")
      var pointer: UnsafeRawPointer?
      guard getFunctionList(&pointer) == 0, let pointer else {
        throw RuntimeLibraryError(title: path, installation: "", reason: "it gives no list of functions")
      }
      list = pointer
    } catch {
      throw StoreError.unavailable("the PKCS#11 module \(path) cannot be used: \(error.reason)")
    }
    func function<Function>(_ place: Place) throws -> Function {
      // The version comes first, in a word of its own.
      let offset = (1 + place.rawValue) * MemoryLayout<UnsafeRawPointer>.size
      guard let pointer = list.load(fromByteOffset: offset, as: UnsafeRawPointer?.self) else {
        throw StoreError.unavailable("the PKCS#11 module \(path) lacks the function \(place)")
      }
      return unsafeBitCast(pointer, to: Function.self)
    }
    let initialize: @convention(c) (UnsafeMutableRawPointer?) -> Code = try function(.initialize)
    getSlotList = try function(.getSlotList)
    getTokenInfo = try function(.getTokenInfo)
    openSession = try function(.openSession)
    closeSession = try function(.closeSession)
    login = try function(.login)
    findObjectsInit = try function(.findObjectsInit)
    findObjects = try function(.findObjects)
    findObjectsFinal = try function(.findObjectsFinal)
    signInit = try function(.signInit)
    sign = try function(.sign)
    generateKey = try function(.generateKey)
    var arguments = InitializeArguments()
    let code = initialize(&arguments)
    guard code == Return.ok || code == Return.alreadyInitialized else {
      throw StoreError.unavailable("the PKCS#11 module \(path) cannot be used: \(Return.text(code))")
    }
  }

  /// Return values (`CKR_…`).
  enum Return {
    static let ok: Code = 0
    static let pinIncorrect: Code = 0xA0
    static let pinLocked: Code = 0xA4
    static let userAlreadyLoggedIn: Code = 0x100
    static let alreadyInitialized: Code = 0x191

    static func text(_ code: Code) -> String {
      switch code {
      case 0x05: "the function failed (CKR_GENERAL_ERROR)"
      case 0x30: "the token failed (CKR_DEVICE_ERROR)"
      case 0x32: "the token was removed (CKR_DEVICE_REMOVED)"
      case 0x63: "the key has another type (CKR_KEY_TYPE_INCONSISTENT)"
      case 0x68: "the key may not be used for HMAC (CKR_KEY_FUNCTION_NOT_PERMITTED)"
      case 0x70: "the token does not know HMAC with SHA-256 (CKR_MECHANISM_INVALID)"
      case pinIncorrect: "the PIN is wrong (CKR_PIN_INCORRECT)"
      case 0xA2: "the PIN has the wrong length (CKR_PIN_LEN_RANGE)"
      case 0xA3: "the PIN has expired (CKR_PIN_EXPIRED)"
      case pinLocked: "the PIN is locked (CKR_PIN_LOCKED)"
      case 0xE0: "the token is not there (CKR_TOKEN_NOT_PRESENT)"
      case 0xE2: "the token cannot be written to (CKR_TOKEN_WRITE_PROTECTED)"
      case 0x101: "a PIN is needed (CKR_USER_NOT_LOGGED_IN)"
      default: "the token answers 0x\(String(code, radix: 16))"
      }
    }
  }

  /// Runs `body` with attributes as `CK_ATTRIBUTE`s.
  static func withAttributes<Result>(
    _ attributes: [(type: UInt, value: [UInt8])],
    _ body: (UnsafeMutableRawPointer, UInt) throws -> Result
  ) rethrows -> Result {
    var values = attributes.flatMap(\.value) + [0]
    return try values.withUnsafeMutableBytes { buffer in
      var offset = 0
      var template = attributes.map { attribute in
        defer { offset += attribute.value.count }
        return Attribute(
          type: attribute.type, value: buffer.baseAddress?.advanced(by: offset),
          length: UInt(attribute.value.count))
      }
      let count = UInt(template.count)
      return try template.withUnsafeMutableBytes { template in
        guard let start = template.baseAddress else { preconditionFailure("a template has attributes") }
        return try body(start, count)
      }
    }
  }
}
