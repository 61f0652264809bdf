import Foundation
import Testing

@testable import PingTamperDetector

@Suite("Signs of tampering")
struct TamperDetectorTests {
  private struct Sign: TamperCheck {
    let value: Double
    func score() -> Double { value }
  }

  @Test("The highest score counts, kept between 0 and 1")
  func highestScore() {
    func score(_ values: Double...) -> Double {
      TamperDetector(checks: values.map { Sign(value: $0) }).analyze()
    }
    #expect(score() == 0)
    #expect(score(0, 0.9, 0.2) == 0.9)
    #expect(score(-3) == 0)
    #expect(score(7, 0.1) == 1)
    #expect(score(.nan, 0.4) == 0.4)
    #expect((0...1).contains(TamperDetector().analyze()))
  }

  @Test("A tracer is found in the process's status")
  func tracer() {
    #expect(DebuggerCheck.isTraced(status: "Name:\tx\nTracerPid:\t17\n"))
    #expect(!DebuggerCheck.isTraced(status: "Name:\tx\nTracerPid:\t0\n"))
    #expect(!DebuggerCheck.isTraced(status: ""))
  }

  @Test("Preloaded code is 0.9, an empty variable nothing")
  func foreignCode() {
    #expect(ForeignCodeCheck(environment: ["LD_PRELOAD": "/tmp/x.so"]).score() == 0.9)
    #expect(ForeignCodeCheck(environment: ["LD_PRELOAD": "", "PATH": "/bin"]).score() == 0)
  }

  @Test("A program file that everybody may write is found")
  func replaceable() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("sealring-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data().write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    #expect(ReplaceableProgramCheck(path: file.path).score() == 0)
    try FileManager.default.setAttributes([.posixPermissions: 0o757], ofItemAtPath: file.path)
    #expect(ReplaceableProgramCheck(path: file.path).score() == 1)
    #expect(ReplaceableProgramCheck(path: "/nonexistent").score() == 0)
  }
}
