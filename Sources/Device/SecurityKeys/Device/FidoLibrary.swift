#if os(Linux)
  internal import RuntimeLibraries

  /// The functions of libfido2 that ceremonies need. The library is opened when a security key is used.
  ///
  /// libfido2 is used instead of a client of our own, because it knows which of a key's versions and PIN protocols to use, and every
  /// distribution has it. The signatures are those of its header `fido.h` (libfido2 1.12), which is not needed for building.
  struct FidoLibrary: Sendable {
    typealias Object = OpaquePointer
    typealias Reference = UnsafeMutablePointer<OpaquePointer?>
    typealias Code = Int32
    typealias Text = UnsafePointer<CChar>
    typealias Bytes = UnsafePointer<UInt8>

    /// `fido_opt_t`.
    enum Option: Int32 {
      case omit = 0
      case no
      case yes
    }

    /// `COSE_ES256`, which keys and servers have in common.
    static let es256: Int32 = -7

    let start: @Sendable @convention(c) (Int32) -> Void

    let newDevice: @Sendable @convention(c) () -> Object?
    let freeDevice: @Sendable @convention(c) (Reference) -> Void
    let setFunctions: @Sendable @convention(c) (Object, UnsafeRawPointer) -> Code
    let setTimeout: @Sendable @convention(c) (Object, Int32) -> Code
    let open: @Sendable @convention(c) (Object, Text) -> Code
    let close: @Sendable @convention(c) (Object) -> Code
    let isFIDO2: @Sendable @convention(c) (Object) -> Bool
    let hasPIN: @Sendable @convention(c) (Object) -> Bool
    let hasVerification: @Sendable @convention(c) (Object) -> Bool
    let pinTries: @Sendable @convention(c) (Object, UnsafeMutablePointer<Int32>) -> Code
    let makeCredential: @Sendable @convention(c) (Object, Object, Text?) -> Code
    let getAssertion: @Sendable @convention(c) (Object, Object, Text?) -> Code

    let newCredential: @Sendable @convention(c) () -> Object?
    let freeCredential: @Sendable @convention(c) (Reference) -> Void
    let setType: @Sendable @convention(c) (Object, Int32) -> Code
    let setCredentialHash: @Sendable @convention(c) (Object, Bytes, Int) -> Code
    let setCredentialParty: @Sendable @convention(c) (Object, Text, Text) -> Code
    let setUser: @Sendable @convention(c) (Object, Bytes, Int, Text, Text, Text?) -> Code
    let exclude: @Sendable @convention(c) (Object, Bytes, Int) -> Code
    let setResidentKey: @Sendable @convention(c) (Object, Int32) -> Code
    let setCredentialVerification: @Sendable @convention(c) (Object, Int32) -> Code
    let format: @Sendable @convention(c) (Object) -> Text?
    let credentialData: @Sendable @convention(c) (Object) -> Bytes?
    let credentialDataLength: @Sendable @convention(c) (Object) -> Int
    let statement: @Sendable @convention(c) (Object) -> Bytes?
    let statementLength: @Sendable @convention(c) (Object) -> Int

    let newAssertion: @Sendable @convention(c) () -> Object?
    let freeAssertion: @Sendable @convention(c) (Reference) -> Void
    let setAssertionHash: @Sendable @convention(c) (Object, Bytes, Int) -> Code
    let setAssertionParty: @Sendable @convention(c) (Object, Text) -> Code
    let allow: @Sendable @convention(c) (Object, Bytes, Int) -> Code
    let setAssertionVerification: @Sendable @convention(c) (Object, Int32) -> Code
    let setPresence: @Sendable @convention(c) (Object, Int32) -> Code
    let count: @Sendable @convention(c) (Object) -> Int
    let assertionData: @Sendable @convention(c) (Object, Int) -> Bytes?
    let assertionDataLength: @Sendable @convention(c) (Object, Int) -> Int
    let signature: @Sendable @convention(c) (Object, Int) -> Bytes?
    let signatureLength: @Sendable @convention(c) (Object, Int) -> Int
    let id: @Sendable @convention(c) (Object, Int) -> Bytes?
    let idLength: @Sendable @convention(c) (Object, Int) -> Int
    let userID: @Sendable @convention(c) (Object, Int) -> Bytes?
    let userIDLength: @Sendable @convention(c) (Object, Int) -> Int
    let userName: @Sendable @convention(c) (Object, Int) -> Text?
    let userDisplayName: @Sendable @convention(c) (Object, Int) -> Text?

    static let library = RuntimeLibrary(
      title: "libfido2", candidates: ["libfido2.so.1"],
      installation: "apt-get install libfido2-1")

    private static let opened: Result<FidoLibrary, RuntimeLibraryError> = Result {
      () throws(RuntimeLibraryError) in try FidoLibrary(library.open())
    }

    /// - Throws: ``RuntimeLibraryError``, which says how to install the library.
    static func shared() throws(RuntimeLibraryError) -> FidoLibrary { try opened.get() }

    private init(_ library: RuntimeLibrary.Functions) throws(RuntimeLibraryError) {
      start = try library.function("fido_init")
      newDevice = try library.function("fido_dev_new")
      freeDevice = try library.function("fido_dev_free")
      setFunctions = try library.function("fido_dev_set_io_functions")
      setTimeout = try library.function("fido_dev_set_timeout")
      open = try library.function("fido_dev_open")
      close = try library.function("fido_dev_close")
      isFIDO2 = try library.function("fido_dev_is_fido2")
      hasPIN = try library.function("fido_dev_has_pin")
      hasVerification = try library.function("fido_dev_has_uv")
      pinTries = try library.function("fido_dev_get_retry_count")
      makeCredential = try library.function("fido_dev_make_cred")
      getAssertion = try library.function("fido_dev_get_assert")
      newCredential = try library.function("fido_cred_new")
      freeCredential = try library.function("fido_cred_free")
      setType = try library.function("fido_cred_set_type")
      setCredentialHash = try library.function("fido_cred_set_clientdata_hash")
      setCredentialParty = try library.function("fido_cred_set_rp")
      setUser = try library.function("fido_cred_set_user")
      exclude = try library.function("fido_cred_exclude")
      setResidentKey = try library.function("fido_cred_set_rk")
      setCredentialVerification = try library.function("fido_cred_set_uv")
      format = try library.function("fido_cred_fmt")
      credentialData = try library.function("fido_cred_authdata_raw_ptr")
      credentialDataLength = try library.function("fido_cred_authdata_raw_len")
      statement = try library.function("fido_cred_attstmt_ptr")
      statementLength = try library.function("fido_cred_attstmt_len")
      newAssertion = try library.function("fido_assert_new")
      freeAssertion = try library.function("fido_assert_free")
      setAssertionHash = try library.function("fido_assert_set_clientdata_hash")
      setAssertionParty = try library.function("fido_assert_set_rp")
      allow = try library.function("fido_assert_allow_cred")
      setAssertionVerification = try library.function("fido_assert_set_uv")
      setPresence = try library.function("fido_assert_set_up")
      count = try library.function("fido_assert_count")
      assertionData = try library.function("fido_assert_authdata_ptr")
      assertionDataLength = try library.function("fido_assert_authdata_len")
      signature = try library.function("fido_assert_sig_ptr")
      signatureLength = try library.function("fido_assert_sig_len")
      id = try library.function("fido_assert_id_ptr")
      idLength = try library.function("fido_assert_id_len")
      userID = try library.function("fido_assert_user_id_ptr")
      userIDLength = try library.function("fido_assert_user_id_len")
      userName = try library.function("fido_assert_user_name")
      userDisplayName = try library.function("fido_assert_user_display_name")
    }
  }
#endif
