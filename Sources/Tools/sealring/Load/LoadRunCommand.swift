import ArgumentParser
import Foundation
import LoadTesting
import PingNetwork
import TerminalText
import UnixSignals

extension LoadCommand {
  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Play a scenario with many devices, and report rate and latency.",
      discussion: """
        bind             bind a key, once for each device
        sign-in          sign in with the bound key
        push-register    register for push, once for each device
        push             sign in and approve the push message (needs --poll)
        passkey-register register a WebAuthn credential, once for each device
        passkey          sign in with the WebAuthn credential
        transaction      create a transaction and approve it (needs --application)

        With --rate (open loop) a run counts from the time at which it should have begun, so a slow server cannot hide its latency by \
        being asked less. With --concurrency (closed loop) devices wait for the server. Ctrl-C ends the load and prints what was done.
        """)

    @Argument(help: "The scenario.")
    var scenario: LoadScenario

    @OptionGroup var server: ServerOptions
    @OptionGroup var fleet: LoadFleetOptions
    @OptionGroup var pace: LoadPaceOptions
    @OptionGroup var devices: LoadDeviceOptions
    @OptionGroup var consent: LoadConsent
    @OptionGroup var output: LoadResultOptions

    func validate() throws {
      try pace.validate(for: scenario, devices: fleet.devices)
      try devices.validate(for: scenario)
    }

    func run() async throws {
      let files = try output.files()
      let plan = try pace.plan(of: scenario, journey: devices.journey, devices: fleet.devices)
      guard var target = LoadTarget(address: server.baseAddress, realm: server.realm) else {
        throw CommandFailure.invalid("\(printable(server.baseAddress)) is not an address that can be loaded.")
      }
      if let origin = devices.origin { target.webAuthnOrigin = origin }
      try await consent.ask(statement(of: plan), at: server.baseAddress)
      let settings = try await devices.settings(scenario, plan.journey)
      let report = try await devices.withFleet(fleet, scenario, target) { members, indices in
        if indices.isEmpty { Output.remark("All devices are enrolled already.") }
        try await pace.waitForStart()
        return try await play(plan, indices, settings, target, members)
      }
      try end(report, files)
    }

    /// A sentence with the server, the load and the accounts.
    private func statement(of plan: LoadPlan) -> String {
      let amount =
        switch plan.pacing {
        case .rate(let rate): "\(LoadReport.short(rate)) runs a second"
        case .concurrency(let count): "\(count) devices at a time"
        }
      let time = plan.duration.map { " for \(TerminalText.duration(($0 + plan.ramp) / .seconds(1)))" } ?? ""
      return """
        Loading realm \(printable(server.realm)) of \(printable(server.baseAddress)): \(scenario.rawValue) by journey \(printable(plan.journey)),
        \(fleet.devices) devices (\(printable(fleet.range))), \(amount)\(time).
        """
    }

    private typealias Played = (report: LoadReport, early: EarlyEnd?)

    private func play(
      _ plan: LoadPlan, _ indices: [Int], _ settings: ScenarioDriver.Settings, _ target: LoadTarget,
      _ members: LoadFleet
    ) async throws -> Played {
      let transport = try HTTPTransport(
        connections: pace.connections, timeout: pace.timeout.duration,
        authorities: CertificateAuthorities.ofTask?.pem)
      let (recorder, stop, clock) = (LoadRecorder(), LoadStop(), LoadClock())
      let start = Int64(Date().timeIntervalSince1970 * 1000)
      let driver = ScenarioDriver(settings, target: target, fleet: members, transport: transport)
      let signals = Task {
        for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm) {
          // A second signal ends the program without waiting for the runs under way.
          guard stop.reason == nil else { Foundation.exit(130) }
          stop.request(.interrupted)
        }
      }
      let showing = Task { try await Self.show(recorder, clock, plan) }
      await LoadRun(
        plan, devices: indices, driver: driver, clock: clock, recorder: recorder, stop: stop
      ).run()
      showing.cancel()
      _ = await showing.result
      signals.cancel()
      await transport.close()
      return (recorder.report(of: plan, start: start), stop.reason)
    }

    /// Shows the progress until it is cancelled: in a line that is rewritten, or where that is impossible, in one line every half minute.
    private static func show(_ recorder: LoadRecorder, _ clock: LoadClock, _ plan: LoadPlan) async throws {
      guard Output.isErrorTerminal else { return }
      let rewrites = Output.rewritesLines
      let progress = ProgressLine()
      defer { progress.clear() }
      while true {
        try await Task.sleep(for: rewrites ? .milliseconds(500) : .seconds(30))
        let text = line(recorder.progress(at: clock.now()), clock.now(), plan)
        if rewrites { progress.show(text) } else { Output.remark(text) }
      }
    }

    private static func line(
      _ progress: LoadRecorder.Progress, _ time: Duration, _ plan: LoadPlan
    ) -> String {
      let whole = plan.duration.map { " of \(Int(($0 + plan.ramp) / .seconds(1)))" } ?? ""
      return "\(Int(time / .seconds(1)))\(whole) s  \(progress.completed) runs, \(progress.lastRate)/s"
        + "  p50 \(LoadReport.time(progress.p50))  p99 \(LoadReport.time(progress.p99))"
        + "  \(progress.failed) failed  \(progress.underWay) busy"
    }

    private func end(_ played: Played, _ files: LoadResultOptions.Files) throws {
      let report = played.report
      let hasRun = report.completed + report.ramp.completed > 0
      if hasRun || played.early == nil || played.early == .interrupted { try output.write(report, to: files) }
      switch played.early {
      case .serverGone(let failure):
        throw CommandFailure.unreachable(
          hasRun
            ? "The server went away during the load: \(failure.detail). The report shows what was done until then."
            : "The server cannot be loaded at \(printable(server.baseAddress)): \(failure.detail). Check --server and that it runs "
              + "(`sealring serve`).")
      case .failed(let failure):
        throw CommandFailure(
          "The load was ended: \(failure.detail).",
          code: failure.kind == .unanswerable ? .unsupported : .failed)
      case .interrupted, nil: break
      }
      guard hasRun || report.failed + report.ramp.failed == 0 else {
        throw CommandFailure.refused("No run succeeded. The report has the reasons.")
      }
      try output.check(report)
    }
  }
}
