/// A device's description of its reports (Device Class Definition for HID 1.11, §6.2.2).
package enum ReportDescriptor {
  /// The longest descriptor that the kernel keeps.
  package static let maximumBytes = 4096

  /// FIDO Alliance's usage page and its usage for CTAPHID (CTAP 2.1 §11.2.8.1).
  private static let page: UInt32 = 0xF1D0
  private static let usage: UInt32 = 0x01

  // Items by type and tag (§6.2.2.7, §6.2.2.8, §6.2.2.3).
  private static let usagePage: UInt8 = 0x04
  private static let usageItem: UInt8 = 0x08
  private static let longItem: UInt8 = 0xFE

  /// Whether the device, or a part of it, is a security key. `false` for a descriptor that ends in the middle of an item.
  package static func isSecurityKey(_ bytes: [UInt8]) -> Bool {
    guard bytes.count <= maximumBytes else { return false }
    var rest = bytes[...]
    var current: UInt32 = 0
    while let first = rest.popFirst() {
      guard first != longItem else {
        // A long item has its size, its tag and its data.
        guard let size = rest.popFirst(), rest.count > size else { return false }
        rest = rest.dropFirst(Int(size) + 1)
        continue
      }
      let size = [0, 1, 2, 4][Int(first & 3)]
      guard rest.count >= size else { return false }
      let value = rest.prefix(size).reversed().reduce(0) { $0 << 8 | UInt32($1) }
      rest = rest.dropFirst(size)
      switch first & 0xFC {
      case usagePage: current = value
      // A usage of four bytes includes its page.
      case usageItem where size == 4: if value == page << 16 | usage { return true }
      case usageItem: if current == page, value == usage { return true }
      default: break
      }
    }
    return false
  }
}
