#if !canImport(AuthenticationServices)
  internal import Foundation
  internal import PingLogger

  /// The person's browser on a desktop, or the address in a terminal.
  @MainActor final class SystemBrowser: UserAgent {
    /// Where a page can be shown.
    enum Place: Sendable, Hashable { case desktop, terminal, nowhere }

    /// Opens an address on a desktop; calls `failed` when that turns out not to work.
    typealias Opener = @Sendable (_ url: URL, _ failed: @escaping @Sendable () -> Void) throws -> Void

    private let place: Place
    private let opener: Opener
    private var listener: LoopbackRedirect?

    nonisolated init(place: Place = .here, opener: @escaping Opener = SystemBrowser.xdgOpen) {
      (self.place, self.opener) = (place, opener)
    }

    func open(
      _ url: URL, expecting expected: ExpectedRedirect, type: BrowserType, of launcher: BrowserLauncher,
      answer: @escaping Answer
    ) throws(BrowserError) {
      // Listens before the page can end.
      try listen(expected, answer)
      switch place {
      case .desktop:
        do { try opener(url) { answer(.failure(.externalUserAgentFailure)) } } catch {
          throw failure("The browser cannot be opened", error)
        }
      case .terminal: BrowserLauncher.showAddress(url)
      case .nowhere: throw failure("There is neither a desktop nor a terminal to show a page in", nil)
      }
    }

    private func listen(_ expected: ExpectedRedirect, _ answer: @escaping Answer) throws(BrowserError) {
      guard ["http", "https"].contains(expected.scheme) else { return }  // An app's own: OpenURLMonitor.
      guard let address = expected.address, LoopbackRedirect.isLoopback(address),
        !LoopbackRedirect.leavesPortOpen(address)
      else {
        throw failure(
          "The redirect does not go to a port of this machine (http://127.0.0.1:PORT/PATH or http://[::1]:PORT/PATH)",
          nil)
      }
      let listener: LoopbackRedirect
      do { listener = try LoopbackRedirect.at(address) } catch {
        throw failure("The port of the redirect \(address) is taken", error)
      }
      self.listener = listener
      listener.serve(expected) { answer(.success($0)) }
    }

    func close() {
      listener?.stop()
      listener = nil
    }

    private func failure(_ reason: String, _ error: (any Error)?) -> BrowserError {
      LogManager.logger.w("\(reason).", error: error)
      return .externalUserAgentFailure
    }

    nonisolated static let xdgOpen: Opener = { url, failed in
      let program = Process()
      program.executableURL = URL(filePath: "/usr/bin/xdg-open")
      program.arguments = [url.absoluteString]
      program.standardInput = FileHandle.nullDevice
      program.standardOutput = FileHandle.nullDevice
      program.standardError = FileHandle.nullDevice
      program.terminationHandler = { if $0.terminationStatus != 0 { failed() } }
      try program.run()
    }
  }

  extension SystemBrowser.Place {
    /// Where this program runs.
    static var here: Self {
      let environment = ProcessInfo.processInfo.environment
      let hasDesktop = ["WAYLAND_DISPLAY", "DISPLAY"].contains { environment[$0]?.isEmpty == false }
      return hasDesktop ? .desktop : isatty(STDERR_FILENO) == 1 ? .terminal : .nowhere
    }
  }
#endif
