#if os(Linux)
  import CTAP
  package import CTAPAuthenticator
  import Concurrency
  package import DeviceKeys
  package import Foundation
  import PersonPrompts
  import WebAuthnAuthenticator

  /// A security key behind a socket that takes and gives the reports of a device file: our own virtual one, or one that a test makes of it.
  package final class PlayedSecurityKey: Sendable {
    /// Changes what the key answers: the request and the honest reply to the answer, `nil` for none at all.
    package typealias Answer = @Sendable (_ request: [UInt8], _ honest: [UInt8]) -> [UInt8]?

    /// Hides that the virtual key has a question of its own, so that its PIN is asked for by the program that uses it.
    package static let withoutOwnQuestion: Answer = { request, honest in
      guard request.first == 0x04 else { return honest }
      let name = [0x62] + Array("uv".utf8)
      return honest.replacing(name + [0xF5], with: name + [0xF4])
    }

    package let authenticator: CTAPAuthenticator
    package let path: String
    private let listener: Int32
    private let answer: Answer
    private let seen = Locked<[UInt8]>([])
    /// Whether it says that it knows CTAP2.
    private let isFIDO2: Bool
    /// Whether the file is closed instead of an answer to a request of this command.
    private let vanishing: UInt8?

    package init(
      _ authenticator: CTAPAuthenticator, in folder: URL, isFIDO2: Bool = true,
      vanishingAt command: UInt8? = nil,
      answer: @escaping Answer = { $1 }
    ) throws {
      (self.authenticator, self.answer, self.isFIDO2, vanishing) = (authenticator, answer, isFIDO2, command)
      path = folder.appending(path: "key.socket").path
      listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
        throw POSIXError(.ENAMETOOLONG)
      }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let isBound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      guard isBound, listen(listener, 8) == 0 else { throw POSIXError(.EADDRINUSE) }
      Thread.detachNewThread { [listener, weak self] in
        while case let connection = accept(listener, nil, nil), connection >= 0 {
          self?.serve(connection)
        }
        close(listener)
      }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The commands of CTAP2 that came, in order.
    package var commands: [UInt8] { seen.withLock { $0 } }

    private func serve(_ connection: Int32) {
      Thread.detachNewThread { [self] in
        let client = Client(connection: connection, key: self)
        var buffer = [UInt8](repeating: 0, count: 128)
        while case let count = recv(connection, &buffer, buffer.count, 0), count > 0 {
          // hidraw takes the number of the report first.
          guard count == 65 else { continue }
          let report = Array(buffer[1..<count])
          client.run(client.transport.withLock { $0.receive(report, at: .zero) })
        }
        client.run(client.transport.withLock { $0.close() })
        client.isOpen.withLock {
          $0 = false
          close(connection)
        }
      }
    }

    /// One program that has the file open.
    private final class Client: Sendable {
      let transport = Locked(CTAPHIDTransport())
      let isOpen = Locked(true)
      private let tasks = Locked<[Int: Task<Void, Never>]>([:])
      private let connection: Int32
      private let key: PlayedSecurityKey

      init(connection: Int32, key: PlayedSecurityKey) { (self.connection, self.key) = (connection, key) }

      func run(_ effects: [CTAPHIDTransport.Effect]) {
        for effect in effects {
          switch effect {
          case .send(var message):
            if message.command == .initialize, !key.isFIDO2 {
              // The last byte tells the capabilities.
              message = CTAPHIDMessage(
                channel: message.channel, command: .initialize, payload: message.payload.dropLast() + [0])
            }
            for packet in message.packets {
              isOpen.withLock { [connection] in
                if $0 { _ = send(connection, packet.bytes, 64, Int32(MSG_NOSIGNAL)) }
              }
            }
          case .perform(let number, let channel, let request):
            key.seen.withLock { $0 += request.prefix(1) }
            if request.first == key.vanishing {
              shutdown(connection, Int32(SHUT_RDWR))
              return
            }
            // A passkey is made, or used.
            if request.first == 1 || request.first == 2 {
              run(transport.withLock { $0.keepalive(number, .userPresenceNeeded) })
            }
            let task = Task { [self] in
              let honest = await key.authenticator.reply(to: request, on: channel)
              guard let reply = key.answer(request, honest) else { return }
              run(transport.withLock { $0.finish(number, with: reply) })
            }
            tasks.withLock { $0[number] = task }
          case .cancel: tasks.withLock { for task in $0.values { task.cancel() } }
          case .wink: break
          }
        }
      }
    }
  }

  extension CTAPAuthenticator {
    /// A virtual security key that forgets everything, and the person in front of it, who says yes and has the PIN.
    ///
    /// - Parameter pin: Set from the start; `nil` for none.
    package static func played(pin: PIN? = nil, in folder: URL) async throws -> CTAPAuthenticator {
      let store = MemoryKeyStore()
      let key = CTAPAuthenticator(
        keyStore: store,
        credentials: CredentialStore(
          directory: folder.appending(path: "passkeys"), encryption: PlainRecords()),
        prompt: AgreeingPerson(pin: pin))
      if let pin { try await ClientPINKey(store: store).set(ClientPINKey.hash(pin)) }
      return key
    }
  }

  /// Agrees to everything.
  struct AgreeingPerson: PersonPrompt {
    let pin: PIN?

    func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
      guard question.needsPIN else { return .yes }
      return pin.map { .pin($0) } ?? .no
    }
  }

  /// Leaves records as they are.
  struct PlainRecords: CredentialEncryption {
    func encrypt(_ record: Data) async throws -> Data { record }

    func decrypt(_ record: Data) async throws -> Data? { record }
  }
#endif
