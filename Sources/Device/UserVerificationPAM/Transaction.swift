#if os(Linux)
  internal import CPAM
  internal import Foundation
  internal import UserVerification

  /// One PAM transaction, on one thread: checks that the person is the user, and that the user may use the device now.
  struct Transaction {
    let service: String
    let user: String
    let configuration: URL?
    let conversation: Conversation

    /// - Throws: ``UserVerificationError``, `CancellationError`.
    func verify() throws {
      let context = Unmanaged.passUnretained(conversation).toOpaque()
      var callbacks = pam_conv(conv: converse, appdata_ptr: context)
      var handle: OpaquePointer?
      let started =
        if let configuration {
          pam_start_confdir(service, user, &callbacks, configuration.path(percentEncoded: false), &handle)
        } else {
          pam_start(service, user, &callbacks, &handle)
        }
      guard started == PAM_SUCCESS, let handle else {
        throw UserVerificationError.unavailable("PAM does not start (error \(started))")
      }
      var result = PAM_SUCCESS
      defer { withExtendedLifetime(conversation) { _ = pam_end(handle, result) } }

      result = pam_set_item(handle, PAM_FAIL_DELAY, unsafeBitCast(noteDelay, to: UnsafeRawPointer.self))
      if result == PAM_SUCCESS { result = pam_authenticate(handle, Int32(PAM_DISALLOW_NULL_AUTHTOK)) }
      if result == PAM_SUCCESS { result = pam_acct_mgmt(handle, Int32(PAM_DISALLOW_NULL_AUTHTOK)) }
      // The person's answer counts, or that nobody waits, whatever the module returned.
      if conversation.isCancelled { throw CancellationError() }
      if result != PAM_SUCCESS {
        throw conversation.failure
          ?? UserVerificationError(pamResult: result, text: text(of: result, handle))
      }
      try checkUser(handle)
    }

    /// Checks that PAM recognised `user`: a module may have replaced the name (`pam_get_item(3)`), and then recognised somebody else.
    private func checkUser(_ handle: OpaquePointer) throws {
      var item: UnsafeRawPointer?
      guard pam_get_item(handle, PAM_USER, &item) == PAM_SUCCESS, let item else {
        throw UserVerificationError.unavailable("PAM does not say whom it recognised")
      }
      let recognised = String(cString: item.assumingMemoryBound(to: CChar.self))
      guard recognised.utf8.elementsEqual(user.utf8) else {
        throw UserVerificationError.unavailable("PAM recognised another user than \(user)")
      }
    }

    private func text(of result: Int32, _ handle: OpaquePointer) -> String {
      pam_strerror(handle, result).map { String(cString: $0) } ?? "PAM error \(result)"
    }
  }

  extension UserVerificationError {
    /// The error for a PAM failure.
    ///
    /// - Parameter text: PAM's text for the failure.
    init(pamResult: Int32, text: String) {
      switch pamResult {
      // An unknown user is treated like a wrong password, as login programs do.
      case PAM_AUTH_ERR, PAM_USER_UNKNOWN: self = .notRecognised
      case PAM_MAXTRIES, PAM_PERM_DENIED: self = .lockedOut(text)
      case PAM_NEW_AUTHTOK_REQD, PAM_AUTHTOK_EXPIRED, PAM_CRED_EXPIRED:
        self = .unavailable("the password has expired, set a new one with passwd (\(text))")
      case PAM_ACCT_EXPIRED: self = .unavailable("the account has expired (\(text))")
      default: self = .unavailable("PAM failed with \(pamResult): \(text)")
      }
    }
  }

  /// `pam_conv(3)`: answers a module's messages, all or none of them.
  private let converse:
    @convention(c) (
      Int32, UnsafeMutablePointer<UnsafePointer<pam_message>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<pam_response>?>?, UnsafeMutableRawPointer?
    ) -> Int32 = { count, messages, responses, context in
      guard let messages, let responses, let context, 1...PAM_MAX_NUM_MSG ~= count else {
        return PAM_CONV_ERR
      }
      let conversation = Unmanaged<Conversation>.fromOpaque(context).takeUnretainedValue()
      // Zeroed. Allocated in C, because the module frees it.
      guard let memory = calloc(Int(count), MemoryLayout<pam_response>.stride) else { return PAM_BUF_ERR }
      let answers = memory.bindMemory(to: pam_response.self, capacity: Int(count))
      for index in 0..<Int(count) {
        guard let message = messages[index], conversation.answer(message.pointee, in: &answers[index]) else {
          discard(answers, count: index)
          return PAM_CONV_ERR
        }
      }
      responses.pointee = answers
      return PAM_SUCCESS
    }

  private func discard(_ answers: UnsafeMutablePointer<pam_response>, count: Int) {
    for index in 0..<count {
      guard let text = answers[index].resp else { continue }
      CredentialSecret.wipe(text, count: strlen(text))
      free(text)
    }
    free(answers)
  }

  extension Conversation {
    /// Handles one message; `false` when there is no answer to it.
    fileprivate func answer(_ message: pam_message, in response: inout pam_response) -> Bool {
      // Modules are allowed to send a message without a text.
      let text = message.msg.map { String(cString: $0) } ?? ""
      switch message.msg_style {
      case PAM_PROMPT_ECHO_OFF, PAM_PROMPT_ECHO_ON:
        guard let secret = ask(text, echoes: message.msg_style == PAM_PROMPT_ECHO_ON) else { return false }
        response.resp = secret.copiedForPAM()
        if response.resp == nil { failure = .notRecognised }
        return response.resp != nil
      case PAM_TEXT_INFO, PAM_ERROR_MSG:
        show(text)
        return !isCancelled
      default:
        // Binary and radio prompts are for graphical logins.
        return false
      }
    }
  }

  extension CredentialSecret {
    /// A C string that PAM wipes and frees; `nil` when the secret has a zero byte, or is longer than PAM accepts.
    fileprivate func copiedForPAM() -> UnsafeMutablePointer<CChar>? {
      withBytes { bytes in
        guard bytes.count < PAM_MAX_RESP_SIZE, !bytes.contains(0), let copy = calloc(bytes.count + 1, 1)
        else {
          return nil
        }
        if let start = bytes.baseAddress { memcpy(copy, start, bytes.count) }
        return copy.assumingMemoryBound(to: CChar.self)
      }
    }
  }

  /// `pam_fail_delay(3)`: called instead of sleeping. Keeps the microseconds for the next try.
  private let noteDelay: @convention(c) (Int32, UInt32, UnsafeMutableRawPointer?) -> Void = {
    result, microseconds, context in
    guard result != PAM_SUCCESS, let context else { return }
    Unmanaged<Conversation>.fromOpaque(context).takeUnretainedValue()
      .delay = .microseconds(Int64(microseconds))
  }
#endif
