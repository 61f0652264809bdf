#if os(Linux)
  import CommonFixtures
  import CTAP
  import DeviceKeys
  import Foundation
  import Testing

  @testable import CTAPAuthenticator

  /// What the kernel may say, and what plays it.
  struct VirtualSecurityKeyTests {
    private func withKey(
      _ body: (_ scene: SecurityKeyScene, _ send: ([UInt8]) -> Void, _ receive: () async throws -> UHIDEvent)
        async throws -> Void
    ) async throws {
      var ends: [Int32] = [-1, -1]
      try #require(
        socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
      let (kernel, key) = (ends[0], ends[1])
      var limit = timeval(tv_sec: 30, tv_usec: 0)
      setsockopt(kernel, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      let scene = try SecurityKeyScene()
      let serving = Task { try await VirtualSecurityKey(descriptor: key, scene.key).run() }
      let receive = {
        let bytes = await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: UHIDEvent.maximumBytes)
            let count = recv(kernel, &buffer, buffer.count, 0)
            continuation.resume(returning: Array(buffer.prefix(max(0, count))))
          }
        }
        return try UHIDEvent(parsing: bytes)
      }
      #expect(try await receive() == .create(VirtualSecurityKey.description))
      try await body(scene, { _ = Foundation.send(kernel, $0, $0.count, Int32(MSG_NOSIGNAL)) }, receive)
      close(kernel)
      try await serving.value
    }

    private func output(_ packet: CTAPHIDPacket) -> [UInt8] {
      UHIDEvent.output(type: 1, data: [0] + packet.bytes).bytes
    }

    private let begin = CTAPHIDPacket.initial(
      channel: CTAPHIDMessage.broadcast, command: 6, length: 8, data: [1, 2, 3, 4, 5, 6, 7, 8])

    @Test func `what is not an event or not a report is dropped, and questions for reports get an error`()
      async throws
    {
      try await withKey { _, send, receive in
        for bytes in [[1], [99, 0, 0, 0], [6, 0, 0, 0, 1], [UInt8](repeating: 6, count: 4376)] { send(bytes) }
        send(UHIDEvent.output(type: 1, data: [UInt8](repeating: 0xFF, count: 4096)).bytes)
        send(UHIDEvent.getReport(id: 7, number: 0, type: 0).bytes)
        #expect(try await receive() == .getReportReply(id: 7, error: UHIDEvent.inputOutputError, data: []))
        send(UHIDEvent.setReport(id: 8, number: 0, type: 0, data: [1]).bytes)
        #expect(try await receive() == .setReportReply(id: 8, error: UHIDEvent.inputOutputError))
        send(output(begin))
        guard case .input(let report) = try await receive() else { return #expect(Bool(false)) }
        #expect(report.prefix(5).elementsEqual([0xFF, 0xFF, 0xFF, 0xFF, 0x86]))
      }
    }

    @Test func `a device that the kernel takes away ends, and with it the question`() async throws {
      try await withKey { scene, send, receive in
        send(output(begin))
        guard case .input(let report) = try await receive() else { return #expect(Bool(false)) }
        let channel = report[15..<19].reduce(0) { $0 << 8 | UInt32($1) }
        let request = CTAPHIDMessage(
          channel: channel, command: .cbor, payload: SecurityKeyScene.registration("wait.example"))
        for packet in request.packets { send(output(packet)) }
        try await eventually("somebody is asked") { scene.key.isAsking }
        send(UHIDEvent.stop.bytes)
        try await eventually("the question is taken away") { !scene.key.isAsking }
        #expect(try await scene.store.keys().isEmpty)
      }
    }
  }
#endif
