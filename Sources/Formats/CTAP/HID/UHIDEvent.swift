/// An event that a program and the kernel exchange by `/dev/uhid`, one for each read or write (`struct uhid_event`, linux/uhid.h).
///
/// Numbers have the machine's byte order. An event may be cut: missing bytes count as zeros, as in the kernel.
package enum UHIDEvent: Sendable, Hashable {
  // MARK: From the kernel
  /// The device was created; `flags` say which reports have numbers.
  case start(flags: UInt64)
  /// The device is gone.
  case stop
  /// The first program opened the device.
  case open
  /// The last program closed it.
  case close
  /// A report of a program to the device; through hidraw its first byte is the report's number.
  case output(type: UInt8, data: [UInt8])
  /// A program asks for a report; the kernel waits for the answer.
  case getReport(id: UInt32, number: UInt8, type: UInt8)
  /// A program sets a report; the kernel waits for the answer.
  case setReport(id: UInt32, number: UInt8, type: UInt8, data: [UInt8])

  // MARK: To the kernel
  case create(UHIDDeviceDescription)
  case destroy
  /// A report of the device.
  case input([UInt8])
  case getReportReply(id: UInt32, error: UInt16, data: [UInt8])
  case setReportReply(id: UInt32, error: UInt16)

  /// The size of the largest event in bytes, for which a read must have room.
  package static let maximumBytes = 4 + 128 + 64 + 64 + 2 + 2 + 4 * 4 + maximumData
  /// The most bytes of a report or of a report descriptor.
  package static let maximumData = 4096

  /// The error that the kernel gives a waiting program when a device cannot do what it is asked (EIO).
  package static let inputOutputError: UInt16 = 5
}

/// A device that is to be created.
package struct UHIDDeviceDescription: Sendable, Hashable {
  /// At most 127 bytes.
  package var name: String
  /// Where it is plugged in, in the kernel's words; at most 63 bytes.
  package var place = ""
  /// Its serial number; at most 63 bytes.
  package var serialNumber = ""
  /// BUS_USB is 3, BUS_VIRTUAL 6.
  package var bus: UInt16 = 3
  package var vendor: UInt32
  package var product: UInt32
  package var version: UInt32 = 0
  package var reportDescriptor: [UInt8]

  /// A FIDO security key: 64 bytes each way, usage page 0xF1D0 (CTAP 2.1 §11.2.8.2).
  package static func securityKey(name: String, vendor: UInt32, product: UInt32) -> UHIDDeviceDescription {
    let size = UInt8(CTAPHIDPacket.byteCount)
    return UHIDDeviceDescription(
      name: name, vendor: vendor, product: product,
      reportDescriptor: [
        0x06, 0xD0, 0xF1, 0x09, 0x01, 0xA1, 0x01,  // Usage page FIDO, usage U2F HID, a collection of:
        0x09, 0x20, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, size, 0x81, 0x02,  // input,
        0x09, 0x21, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, size, 0x91, 0x02,  // output.
        0xC0,
      ])
  }
}

/// Why bytes are not an event.
package struct UHIDError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
