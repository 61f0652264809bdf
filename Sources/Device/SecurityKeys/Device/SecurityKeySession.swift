#if os(Linux)
  internal import Bytes
  internal import Concurrency
  internal import DeviceKeys
  internal import Foundation
  internal import RuntimeLibraries
  internal import WebAuthnAuthenticator

  /// An open security key, through libfido2. Calls wait for the key, each on a thread of its own; cancelling the task ends them.
  final class SecurityKeySession: Sendable {
    /// The error of libfido2 or of the key: a CTAP status, or one of libfido2's own negative numbers.
    struct Failure: Error {
      let code: Int32
      /// Whether the key was pulled out meanwhile.
      let isGone: Bool
    }

    /// How a person is verified for a request.
    enum Verification: Sendable {
      case none
      /// By the key itself: a finger, or a question of its own.
      case byKey
      case pin(PIN)
    }

    /// How long libfido2 waits for an exchange with the key. Milliseconds; the ceremony's limit ends it sooner.
    private static let limit: Int32 = 300_000
    /// The same for opening the key, which needs no person.
    private static let openingLimit: Int32 = 10_000
    /// `FIDO_DISABLE_U2F_FALLBACK`: libfido2 does not try the older protocol on a key that fails to open.
    private static let withoutFallback: Int32 = 2
    /// The longest PIN in bytes (CTAP 2.1 §6.5.1).
    static let maximumPINBytes = 63

    private let library: FidoLibrary
    private let reports: KeyReports
    /// The lock is held while the key is waited for: libfido2's objects have one user at a time.
    private let device: Locked<Transferred<FidoLibrary.Object>>

    /// - Parameter descriptor: The key's file; closed with the session, and when this throws.
    /// - Throws: ``SecurityKeyError``.
    init(descriptor: Int32, touch: @escaping @Sendable () -> Void) throws(SecurityKeyError) {
      // `KeyReports` closes the descriptor.
      reports = KeyReports(descriptor: descriptor, touch: touch)
      let library: FidoLibrary
      do { library = try FidoLibrary.shared() } catch {
        throw .unusable(
          "\(error.title) cannot be opened (\(error.reason)). Install it: \(error.installation).")
      }
      library.start(Self.withoutFallback)
      var object = library.newDevice()
      guard let new = object else { throw .misbehaved("libfido2 has no memory") }
      var functions = KeyReports.functions
      guard library.setFunctions(new, &functions) == 0, library.setTimeout(new, Self.openingLimit) == 0 else {
        library.freeDevice(&object)
        throw .misbehaved("libfido2 does not take functions for a device")
      }
      self.library = library
      device = Locked(Transferred(new))
    }

    deinit {
      var object: FidoLibrary.Object? = device.withLock { $0 }.value
      if let object { _ = library.close(object) }
      library.freeDevice(&object)
    }

    /// The abilities that a key reports when it is opened.
    struct Abilities: Sendable {
      let isFIDO2: Bool
      let hasPIN: Bool
      let hasVerification: Bool
    }

    /// - Throws: ``Failure``, `CancellationError`.
    func open() async throws -> Abilities {
      let (library, path) = (library, reports.path)
      return try await perform { device throws(Failure) in
        try self.check(library.open(device, path))
        try self.check(library.setTimeout(device, Self.limit))
        return Abilities(
          isFIDO2: library.isFIDO2(device), hasPIN: library.hasPIN(device),
          hasVerification: library.hasVerification(device))
      }
    }

    /// How many wrong PINs the key still accepts; `nil` when it does not say.
    func pinTries() async throws -> Int? {
      let library = library
      return try await perform { device in
        var tries: Int32 = 0
        return library.pinTries(device, &tries) == 0 && (0...255).contains(tries) ? Int(tries) : nil
      }
    }

    // MARK: Requests

    /// The parts of a new credential as the key returned them. Nothing is checked.
    struct NewCredential: Sendable {
      let format: String
      let statement: [UInt8]
      let authenticatorData: [UInt8]
    }

    /// - Parameter excluded: The excluded ids to send; they may be more than the key accepts at once.
    /// - Throws: ``Failure``, `CancellationError`.
    func makeCredential(
      _ request: MakeCredentialRequest, excluded: [[UInt8]], _ verification: Verification
    ) async throws -> NewCredential {
      let library = library
      let short = SecurityKeyAuthenticator.short
      return try await perform { device throws(Failure) in
        var object = library.newCredential()
        defer { library.freeCredential(&object) }
        guard let made = object else { throw self.failure(-9) }
        try self.check(library.setType(made, FidoLibrary.es256))
        try self.check(library.setCredentialHash(made, request.clientDataHash, request.clientDataHash.count))
        try self.check(
          library.setCredentialParty(made, request.relyingPartyID, short(request.relyingPartyName)))
        try self.check(
          library.setUser(
            made, request.userHandle, request.userHandle.count, short(request.userName),
            short(request.userDisplayName), nil))
        for id in excluded { try self.check(library.exclude(made, id, id.count)) }
        if request.requiresResidentKey {
          try self.check(library.setResidentKey(made, FidoLibrary.Option.yes.rawValue))
        }
        if case .byKey = verification {
          try self.check(library.setCredentialVerification(made, FidoLibrary.Option.yes.rawValue))
        }
        try self.check(Self.withPIN(verification) { library.makeCredential(device, made, $0) })
        return NewCredential(
          format: library.format(made).map { String(cString: $0) } ?? "",
          statement: Self.bytes(library.statement(made), library.statementLength(made)),
          authenticatorData: Self.bytes(library.credentialData(made), library.credentialDataLength(made)))
      }
    }

    /// The parts of an assertion as the key returned them. Nothing is checked.
    struct RawAssertion: Sendable {
      let credentialID: [UInt8]
      /// The data as a CBOR byte string.
      let authenticatorData: [UInt8]
      let signature: [UInt8]
      let userHandle: [UInt8]
      let userName: String
      let userDisplayName: String
    }

    /// - Parameter isSilent: Whether to ask only if there is a fitting credential, without a touch.
    /// - Throws: ``Failure``, `CancellationError`.
    func getAssertions(
      clientDataHash: [UInt8], relyingPartyID: String, allowed: [[UInt8]], _ verification: Verification,
      isSilent: Bool = false
    ) async throws -> [RawAssertion] {
      let library = library
      return try await perform { device throws(Failure) in
        var object = library.newAssertion()
        defer { library.freeAssertion(&object) }
        guard let got = object else { throw self.failure(-9) }
        try self.check(library.setAssertionHash(got, clientDataHash, clientDataHash.count))
        try self.check(library.setAssertionParty(got, relyingPartyID))
        for id in allowed { try self.check(library.allow(got, id, id.count)) }
        if case .byKey = verification {
          try self.check(library.setAssertionVerification(got, FidoLibrary.Option.yes.rawValue))
        }
        if isSilent { try self.check(library.setPresence(got, FidoLibrary.Option.no.rawValue)) }
        try self.check(Self.withPIN(verification) { library.getAssertion(device, got, $0) })
        return (0..<library.count(got)).map { index in
          RawAssertion(
            credentialID: Self.bytes(library.id(got, index), library.idLength(got, index)),
            authenticatorData: Self.bytes(
              library.assertionData(got, index), library.assertionDataLength(got, index)),
            signature: Self.bytes(library.signature(got, index), library.signatureLength(got, index)),
            userHandle: Self.bytes(library.userID(got, index), library.userIDLength(got, index)),
            userName: library.userName(got, index).map { String(cString: $0) } ?? "",
            userDisplayName: library.userDisplayName(got, index).map { String(cString: $0) } ?? "")
        }
      }
    }

    // MARK: Calls

    private func perform<Value: Sendable>(
      _ body: @escaping @Sendable (FidoLibrary.Object) throws -> Value
    ) async throws -> Value {
      try Task.checkCancellation()
      reports.begin()
      let result = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          Thread.detachNewThread { [self] in
            // libfido2 has to be started on each thread.
            library.start(Self.withoutFallback)
            continuation.resume(returning: device.withLock { device in Result { try body(device.value) } })
          }
        }
      } onCancel: {
        reports.end()
      }
      try Task.checkCancellation()
      return try result.get()
    }

    private func check(_ code: Int32) throws(Failure) {
      guard code != 0 else { return }
      throw failure(code)
    }

    private func failure(_ code: Int32) -> Failure { Failure(code: code, isGone: reports.isGone) }

    /// Calls `body` with a copy of the PIN as a C string, and overwrites the copy afterwards.
    private static func withPIN(
      _ verification: Verification, _ body: (UnsafePointer<CChar>?) -> Int32
    ) -> Int32 {
      guard case .pin(let pin) = verification else { return body(nil) }
      var text = pin.bytes.map { CChar(bitPattern: $0) } + [0]
      defer { for index in text.indices { text[index] = 0 } }
      return text.withUnsafeBufferPointer { body($0.baseAddress) }
    }

    private static func bytes(_ pointer: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
      guard let pointer, count > 0 else { return [] }
      return Array(UnsafeBufferPointer(start: pointer, count: count))
    }
  }
#endif
