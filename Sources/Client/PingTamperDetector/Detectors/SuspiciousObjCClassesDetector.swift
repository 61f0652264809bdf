internal import Foundation

/// Detects code of tools that change running programs: on Apple's systems by their classes, on Linux by their libraries in this
/// process's memory (`/proc/self/maps`). The score is 1 when there is some, else 0.
public final class SuspiciousObjCClassesDetector: TamperDetectorProtocol, Sendable {
  private let system: ExaminedSystem

  public convenience init() { self.init(system: ExaminedSystem()) }

  init(system: ExaminedSystem) { self.system = system }

  public func analyze() -> Double {
    #if canImport(ObjectiveC)
      ["ShadowRuleset", "SSLKillSwitch", "FridaGadget"].contains { NSClassFromString($0) != nil } ? 1 : 0
    #else
      system.text("/proc/self/maps").split(separator: "\n").contains { line in
        // Address, permissions, offset, device, inode; the path is the rest.
        let path =
          line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true).dropFirst(5).first ?? ""
        let name = path.split(separator: "/").last?.lowercased() ?? ""
        return ["frida-agent", "frida-gadget", "libfrida", "libsubstrate"].contains { name.hasPrefix($0) }
      } ? 1 : 0
    #endif
  }
}
