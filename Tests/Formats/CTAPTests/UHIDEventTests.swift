import Testing

@testable import CTAP

struct UHIDEventTests {
  /// Offsets of `struct uhid_event` in linux/uhid.h, on a machine whose numbers begin with the lowest byte.
  @Test func `a created device is laid out as the kernel's header says`() {
    let device = UHIDDeviceDescription.securityKey(name: "Key", vendor: 0x1209, product: 0x5EA1)
    let bytes = UHIDEvent.create(device).bytes
    #expect(Array(bytes[..<8]) == [11, 0, 0, 0] + Array("Key".utf8) + [0])
    #expect(bytes[260..<262].elementsEqual([UInt8(device.reportDescriptor.count), 0]))
    #expect(bytes[262..<264].elementsEqual([3, 0]))
    #expect(bytes[264..<272].elementsEqual([0x09, 0x12, 0, 0, 0xA1, 0x5E, 0, 0]))
    #expect(Array(bytes[280...]) == device.reportDescriptor)
    #expect(device.reportDescriptor.prefix(3).elementsEqual([0x06, 0xD0, 0xF1]))
    #expect(device.reportDescriptor.filter { $0 == 64 }.count == 2)
  }

  @Test func `a report of a program is where the kernel puts it`() throws {
    var event = [UInt8](repeating: 0, count: UHIDEvent.maximumBytes)
    event[0] = 6
    event.replaceSubrange(4..<7, with: [0, 1, 2])
    event[4100] = 3
    event[4102] = 1
    #expect(try UHIDEvent(parsing: event) == .output(type: 1, data: [0, 1, 2]))
  }

  static let events: [UHIDEvent] = [
    .start(flags: 5), .stop, .open, .close, .destroy, .output(type: 1, data: [0] + [UInt8](1...64)),
    .getReport(id: 7, number: 1, type: 0), .setReport(id: 8, number: 1, type: 0, data: [1, 2, 3]),
    .input([UInt8](repeating: 9, count: 64)), .getReportReply(id: 7, error: 5, data: []),
    .setReportReply(id: 8, error: 5),
    .create(.securityKey(name: "Ünïcode", vendor: 1, product: 2)),
  ]

  @Test(arguments: events)
  func `an event is read as it was written, and with the zeros that a read brings`(event: UHIDEvent) throws {
    #expect(try UHIDEvent(parsing: event.bytes) == event)
    let whole = event.bytes + [UInt8](repeating: 0, count: UHIDEvent.maximumBytes - event.bytes.count)
    #expect(try UHIDEvent(parsing: whole) == event)
  }

  @Test(
    arguments: [
      [], [6, 0, 0], [99, 0, 0, 0], [0, 0, 0, 0], [12, 0, 0, 0, 0xFF, 0xFF], [12, 0, 0, 0, 0x01, 0x10],
      [UInt8](repeating: 0, count: UHIDEvent.maximumBytes + 1),
    ] as [[UInt8]])
  func `an unknown event and a size that lies are refused`(bytes: [UInt8]) {
    #expect(throws: UHIDError.self) { try UHIDEvent(parsing: bytes) }
  }

  @Test func `names that are too long are cut where the kernel's texts end`() throws {
    let long = String(repeating: "n", count: 500)
    let device = UHIDDeviceDescription(
      name: long, place: long, serialNumber: long, vendor: 1, product: 1, reportDescriptor: [])
    guard case .create(let read) = try UHIDEvent(parsing: UHIDEvent.create(device).bytes) else {
      Issue.record("another event")
      return
    }
    #expect((read.name.count, read.place.count, read.serialNumber.count) == (127, 63, 63))
  }
}
