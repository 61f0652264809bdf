/// What a device with reports says of them (Device Class Definition for HID 1.11, §6.2.2).
package enum ReportDescriptor {
  /// The kernel keeps no longer ones.
  package static let maximumBytes = 4096

  /// FIDO Alliance's usage page and its usage for CTAPHID (CTAP 2.1 §11.2.8.1).
  private static let page: UInt32 = 0xF1D0
  private static let usage: UInt32 = 0x01

  // Items by type and tag (§6.2.2.7, §6.2.2.8, §6.2.2.3).
  private static let usagePage: UInt8 = 0x04
  private static let usageItem: UInt8 = 0x08
  private static let longItem: UInt8 = 0xFE

  /// Whether the device, or a part of it, is a security key. What ends in the middle of an item is none.
  package static func isSecurityKey(_ bytes: [UInt8]) -> Bool {
    guard bytes.count <= maximumBytes else { return false }
    var rest = bytes[...]
    var current: UInt32 = 0
    while let first = rest.popFirst() {
      guard first != longItem else {
        // Its size, its tag, its data.
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
      // With four bytes it has a page of its own.
      case usageItem where size == 4: if value == page << 16 | usage { return true }
      case usageItem: if current == page, value == usage { return true }
      default: break
      }
    }
    return false
  }
}
