import Foundation
import StrictJSON

extension FuzzTarget {
  /// An entry of the earlier SDK, JSON or an archive: its members are read or refused, and no fault shows what they hold.
  static let legacyEntry = FuzzTarget { bytes in
    let content = Data(bytes)
    let known = ["mechanismUID", "issuer", "digits"]
    let preview = LegacyEntry.preview(content, known: known)
    expect(preview.utf8.count < 100, "a preview shows a value")
    guard let entry = try? LegacyEntry(content) else { return }
    for (name, value) in entry.members {
      if let text = value.stringValue {
        expect((try? entry.text(name, limit: .max)) ?? "" == text, "a text changes")
      }
      do throws(LegacyEntry.Fault) { _ = try entry.integer(name) } catch {
        expect(
          error == .wrong(member: name, "is not a whole number")
            || error == .wrong(member: name, "is missing"),
          "a fault shows a value")
      }
    }
  }
}
