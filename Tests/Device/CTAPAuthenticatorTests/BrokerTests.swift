#if os(Linux)
  import CommonFixtures
  import Foundation
  import RuntimeLibraries
  import Testing

  @testable import CTAP
  @testable import CTAPAuthenticator

  struct BrokerTests {
    /// A broker between two sockets: the test is the program and the kernel.
    private struct Scene {
      let program: Int32
      let kernel: Int32
      let ends: [Int32]
      let hasEnded: Signal
      let seats: TemporaryFolder
      let description: UHIDDeviceDescription

      init() throws {
        let (one, two) = (try Self.pair(), try Self.pair())
        (program, kernel, ends) = (one[0], two[0], [one[1], two[1]])
        seats = try TemporaryFolder.make()
        try Self.describeSeat(in: seats, "ACTIVE_UID=\(geteuid())\n")
        let (broker, hasEnded) = (
          try UHIDBroker(program: one[1], seat: LocalSeat(folder: seats.url)), Signal()
        )
        (self.hasEnded, description) = (hasEnded, broker.description)
        // What blocks does so beside the threads that tasks share.
        Thread.detachNewThread {
          try? broker.run(kernel: two[1])
          hasEnded.fire()
        }
      }

      static func describeSeat(in folder: TemporaryFolder, _ text: String) throws {
        try Data(text.utf8).write(to: folder.url.appending(path: "seat0"), options: .atomic)
      }

      static func pair() throws -> [Int32] {
        var ends: [Int32] = [-1, -1]
        try #require(
          socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return ends
      }

      func send(_ bytes: [UInt8], to descriptor: Int32) {
        _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      }

      func receive(from descriptor: Int32) async throws -> UHIDEvent {
        let bytes = await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: UHIDEvent.maximumBytes)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            continuation.resume(returning: Array(buffer.prefix(max(0, count))))
          }
        }
        return try UHIDEvent(parsing: bytes)
      }

      func end() async throws {
        close(program)
        try await hasEnded.wait(until: "the broker has ended")
        for descriptor in ends + [kernel] { close(descriptor) }
      }
    }

    static let keyboard = UHIDDeviceDescription(
      name: "Keyboard", vendor: 1, product: 1, reportDescriptor: [0x05, 0x01, 0x09, 0x06])

    // Someone with /dev/uhid can type into every session.
    @Test func `no program makes another device than a security key`() async throws {
      let scene = try Scene()
      scene.send(UHIDEvent.create(Self.keyboard).bytes, to: scene.program)
      scene.send([1, 2], to: scene.program)
      scene.send(UHIDEvent.input([UInt8](repeating: 4, count: 8)).bytes, to: scene.program)
      scene.send(UHIDEvent.getReportReply(id: 1, error: 0, data: [1]).bytes, to: scene.program)
      scene.send(UHIDEvent.output(type: 1, data: [9]).bytes, to: scene.program)
      let report = UHIDEvent.input([UInt8](repeating: 5, count: 64))
      scene.send(report.bytes, to: scene.program)
      #expect(try await scene.receive(from: scene.kernel) == .create(scene.description))
      #expect(try await scene.receive(from: scene.kernel) == report)
      let event = UHIDEvent.output(type: 1, data: [0] + [UInt8](repeating: 6, count: 64))
      scene.send(event.bytes, to: scene.kernel)
      #expect(try await scene.receive(from: scene.program) == event)
      scene.send(UHIDEvent.destroy.bytes, to: scene.program)
      #expect(try await scene.receive(from: scene.kernel) == .destroy)
      try await scene.end()
    }

    @Test func `the device goes away with the program`() async throws {
      let scene = try Scene()
      #expect(try await scene.receive(from: scene.kernel) == .create(scene.description))
      try await scene.end()
    }

    @Test func `a security key works through the broker`() async throws {
      let scene = try Scene()
      let key = try SecurityKeyScene()
      let serving = Task { try await VirtualSecurityKey(descriptor: dup(scene.program), key.key).run() }
      #expect(try await scene.receive(from: scene.kernel) == .create(scene.description))
      let begin = CTAPHIDPacket.initial(
        channel: 0xFFFF_FFFF, command: 6, length: 8, data: [1, 2, 3, 4, 5, 6, 7, 8])
      scene.send(UHIDEvent.output(type: 1, data: [0] + begin.bytes).bytes, to: scene.kernel)
      guard case .input(let report) = try await scene.receive(from: scene.kernel) else {
        Issue.record("no answer")
        return
      }
      #expect(report.count == 64 && report[7..<15].elementsEqual([1, 2, 3, 4, 5, 6, 7, 8]))
      serving.cancel()
      try await serving.value
      #expect(try await scene.receive(from: scene.kernel) == .destroy)
      try await scene.end()
    }

    // It would see where somebody signs in, and could answer for the kernel.
    @Test func `a socket of another user's program is not spoken to`() async throws {
      try #require(geteuid() == 0, "only root can start a process as another user")
      try await withTemporaryFolder { folder in
        chmod(folder.path, 0o777)
        let path = folder.appending(path: "uhid").path
        let listen =
          "import socket, time; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.bind('\(path)'); s.listen(); time.sleep(60)"
        let other = try SpawnedProgram(
          "setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3", "-c", listen],
          environment: SpawnedProgram.environment([:]), output: .nothing, errors: .nothing)
        try await eventually("it listens") {
          do { close(try VirtualSecurityKey.connect(to: path)) } catch let failure
            as VirtualSecurityKey.Failure
          {
            return failure.localizedDescription.contains("another user")
          }
          return false
        }
        other.send(SIGTERM)
        await other.end()
      }
    }

    // Their passkeys would be made there, and their PIN typed.
    @Test func `the device goes away when another user comes to the seat, and nothing passes before that`()
      async throws
    {
      let scene = try Scene()
      #expect(try await scene.receive(from: scene.kernel) == .create(scene.description))
      try Scene.describeSeat(in: scene.seats, "ACTIVE_UID=\(geteuid() + 1)\n")
      let event = UHIDEvent.output(type: 1, data: [0] + [UInt8](repeating: 6, count: 64))
      scene.send(event.bytes, to: scene.kernel)
      #expect(try await scene.receive(from: scene.kernel) == .destroy)
      try await scene.hasEnded.wait(until: "the broker has ended")
      var buffer = [UInt8](repeating: 0, count: 8)
      #expect(recv(scene.program, &buffer, buffer.count, Int32(MSG_DONTWAIT)) < 0, "a report has passed")
      try await scene.end()
    }

    @Test(arguments: [
      nil, "", "IS_SEAT0=1\n", "ACTIVE_UID=\n", "ACTIVE_UID=x\n", "ACTIVE_UID=\(geteuid() + 1)\n",
      "LAST_ACTIVE_UID=\(geteuid())\n", "UIDS=\(geteuid())\n",
      "ACTIVE_UID=\(geteuid())\nACTIVE_UID=\(geteuid() + 1)\n",
      "ACTIVE_UID=\(geteuid())\nSESSIONS=" + String(repeating: "1 ", count: 40_000),
    ])
    func `who is not at the seat, as far as one can know, gets no device`(text: String?) throws {
      let (folder, pair) = (try TemporaryFolder.make(), try Scene.pair())
      if let text { try Scene.describeSeat(in: folder, text) }
      let failure = #expect(throws: VirtualSecurityKey.Failure.self) {
        _ = try UHIDBroker(program: pair[1], seat: LocalSeat(folder: folder.url))
      }
      #expect(failure?.localizedDescription.contains("seat0") == true)
      for descriptor in pair { close(descriptor) }
    }

    @Test func `the device has the name of its user, from among what logind writes`() throws {
      let (folder, pair) = (try TemporaryFolder.make(), try Scene.pair())
      try Scene.describeSeat(
        in: folder,
        """
        # This is private data. Do not parse.
        IS_SEAT0=1
        CAN_MULTI_SESSION=1
        CAN_TTY=1
        CAN_GRAPHICAL=1
        ACTIVE=2
        ACTIVE_UID=\(geteuid())
        SESSIONS=2 c1
        UIDS=\(geteuid()) 42

        """)
      let broker = try UHIDBroker(program: pair[1], seat: LocalSeat(folder: folder.url))
      #expect(broker.description.name == "Sealring Virtual Security Key of \(NSUserName())")
      #expect(broker.description.reportDescriptor == VirtualSecurityKey.description.reportDescriptor)
      for descriptor in pair { close(descriptor) }
    }

    @Test func `standard input that is not such a socket is not served`() throws {
      let pair = try Scene.pair()
      #expect(UHIDBroker.isSocket(pair[0]))
      #expect(!UHIDBroker.isSocket(-1))
      for descriptor in pair { close(descriptor) }
    }
  }
#endif
