#if os(Linux) && DEBUG
  package import Foundation
  package import MessageBus
  import UserVerification

  @testable package import UserVerificationFprintd

  /// The real fprintd with libfprint's virtual reader, on a bus of its own.
  ///
  /// polkit, which fprintd asks who may do what, is stood in for by python-dbusmock.
  package struct FingerprintService {
    package let folder: URL
    package let address: String
    private let fprintd: ServiceProgram?
    private let interruption: Interruption

    private static let python = "/usr/bin/python3"
    private static let requirements = [
      "/usr/bin/dbus-daemon": "dbus", "/usr/bin/dbus-send": "dbus", "/usr/libexec/fprintd": "fprintd",
      python: "python3", "/usr/lib/python3/dist-packages/dbusmock": "python3-dbusmock",
    ]

    /// fprintd's folder of prints.
    package var prints: URL { folder.appending(path: "state") }

    package var verifier: FprintdVerifier { FprintdVerifier(busAddress: address) }

    /// Runs `body` with the service, and ends all of its processes.
    ///
    /// - Parameters:
    ///   - isRunning: Whether there is a fprintd on the bus.
    ///   - enrolled: The names of the fingers to enrol; the virtual reader sees each as the finger of the same name.
    package static func run(
      isRunning: Bool = true, enrolled: [String] = ["right-index-finger"],
      _ body: (FingerprintService) async throws -> Void
    ) async throws {
      for (path, package) in requirements {
        try demand(
          FileManager.default.fileExists(atPath: path), "\(path) is missing: apt-get install \(package)")
      }
      // Not in the test's usual temporary folder: the path of a socket has at most 107 bytes.
      let folder = URL(filePath: "/tmp/sealring-fp-\(UUID().uuidString.prefix(8))")
      try FileManager.default.createDirectory(
        at: folder.appending(path: "state"), withIntermediateDirectories: true)
      var processes: [ServiceProgram] = []
      defer {
        for process in processes.reversed() { process.end() }
        try? FileManager.default.removeItem(at: folder)
      }

      let (daemon, address) = try PrivateBus.start(in: folder)
      processes.append(daemon)
      let interruption = try Interruption() ?? { throw FixtureError(description: "no pipe can be made") }()
      let environment = [
        "DBUS_SYSTEM_BUS_ADDRESS": address,
        "FP_VIRTUAL_DEVICE": "\(folder.path(percentEncoded: false))/reader",
        "FP_DRIVERS_ALLOWLIST": "virtual_device",
        "STATE_DIRECTORY": folder.appending(path: "state").path(percentEncoded: false),
      ]
      var fprintd: ServiceProgram?
      if isRunning {
        let bus = try Bus(address: address, interruption: interruption)
        let polkit = "org.freedesktop.PolicyKit1"
        processes.append(
          try ServiceProgram(
            python, ["-m", "dbusmock", "--system", "--template", "polkitd", "-p", "{}"],
            environment: environment))
        try bus.waitForOwner(of: polkit)
        let allow = try ServiceProgram(
          "/usr/bin/dbus-send",
          [
            "--bus=\(address)", "--print-reply", "--dest=\(polkit)", "/org/freedesktop/PolicyKit1/Authority",
            "org.freedesktop.DBus.Mock.AllowUnknown", "boolean:true",
          ])
        try demand(allow.finish().hasPrefix("method return"), "polkit's stand-in does not obey")
        let process = try ServiceProgram("/usr/libexec/fprintd", ["-t"], environment: environment)
        processes.append(process)
        fprintd = process
        try bus.waitForOwner(of: FingerprintReader.service)
      }
      let service = FingerprintService(
        folder: folder, address: address, fprintd: fprintd, interruption: interruption)
      for finger in enrolled where isRunning { try service.enrol(finger) }
      try await body(service)
    }

    /// Ends fprintd, as if it had crashed.
    package func killService() { fprintd?.kill() }

    /// Enrols a finger that ``show(_:)`` shows later.
    package func enrol(_ finger: String, as shown: String? = nil) throws {
      let (bus, device) = try client()
      try bus.call(device("Claim"), [""])
      var steps: [(result: String, isDone: Bool)] = []
      try bus.subscribe(
        .init(
          of: FingerprintReader.service, path: device("").path, interface: device("").interface,
          member: "EnrollStatus")
      ) { message in
        if let result = try? message.string(), let isDone = try? message.bool() {
          steps.append((result, isDone))
        }
      }
      try bus.call(device("EnrollStart"), [finger])
      while true {
        try show(shown ?? finger)
        let step = try bus.wait { steps.isEmpty ? nil : steps.removeFirst() }
        guard step.isDone else { continue }
        try demand(step.result == "enroll-completed", "enrolling ended with \(step.result)")
        break
      }
      try bus.call(device("EnrollStop"))
      try bus.call(device("Release"))
    }

    /// Holds a finger to the reader; `f` and the name tell fingers apart.
    package func show(_ finger: String) throws { try command("SCAN \(finger)") }

    /// Sends a command to the virtual reader: one connection for each.
    package func command(_ text: String) throws {
      let path = folder.appending(path: "reader").path(percentEncoded: false)
      let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(socket) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
      let connected = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try demand(connected == 0, "the virtual reader does not listen")
      try demand(
        write(socket, text, text.utf8.count) == text.utf8.count, "the virtual reader takes no command")
    }

    /// Whether another program can have the reader.
    package func isFree() throws -> Bool {
      let (bus, device) = try client()
      do { try bus.call(device("Claim"), [""]) } catch BusError.refused { return false }
      try bus.call(device("Release"))
      return true
    }

    /// Sends everybody on the bus the signal of a recognised finger, as a program that is not fprintd.
    package func forgeMatch() throws {
      let (bus, device) = try client()
      let names = try bus.call(
        .init(
          of: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
          interface: "org.freedesktop.DBus", member: "ListNames")
      ).strings()
      let signal = device("VerifyStatus")
      for name in names where name.hasPrefix(":") {
        let forger = try ServiceProgram(
          "/usr/bin/dbus-send",
          [
            "--bus=\(address)", "--type=signal", "--dest=\(name)", signal.path,
            "\(signal.interface).\(signal.name)", "string:verify-match", "boolean:true",
          ])
        _ = forger.finish()
      }
    }

    /// Another program on the bus, and fprintd's methods for it.
    package func client() throws -> (Bus, (_ member: String) -> Bus.Member) {
      let bus = try Bus(address: address, interruption: interruption)
      let device = { (member: String) in
        Bus.Member(
          of: FingerprintReader.service, path: "/net/reactivated/Fprint/Device/0",
          interface: "\(FingerprintReader.service).Device", member: member)
      }
      return (bus, device)
    }
  }
#endif
