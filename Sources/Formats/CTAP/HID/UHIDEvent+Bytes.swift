extension UHIDEvent {
  private enum Kind: UInt32 {
    case destroy = 1
    case start, stop, open, close, output
    case getReport = 9
    case getReportReply, create, input, setReport, setReportReply
  }

  /// Reads an event that is all of `bytes`.
  ///
  /// - Throws: ``UHIDError`` for an unknown kind, more bytes than an event has, and a size above 4096.
  package init(parsing bytes: some Collection<UInt8>) throws(UHIDError) {
    guard (4...Self.maximumBytes).contains(bytes.count) else {
      throw UHIDError("An event has 4 to \(Self.maximumBytes) bytes, not \(bytes.count).")
    }
    var reader = UHIDReader(rest: Array(bytes)[...])
    let number: UInt32 = reader.number()
    guard let kind = Kind(rawValue: number) else { throw UHIDError("There is no event \(number).") }
    switch kind {
    case .destroy: self = .destroy
    case .start: self = .start(flags: reader.number())
    case .stop: self = .stop
    case .open: self = .open
    case .close: self = .close
    case .output:
      let data = reader.bytes(Self.maximumData)
      let size: UInt16 = reader.number()
      self = .output(type: reader.number(), data: try Self.cut(data, to: size))
    case .getReport:
      self = .getReport(id: reader.number(), number: reader.number(), type: reader.number())
    case .setReport:
      let (id, number, type): (UInt32, UInt8, UInt8) = (reader.number(), reader.number(), reader.number())
      self = .setReport(id: id, number: number, type: type, data: try reader.sizedData())
    case .create: self = .create(try UHIDDeviceDescription(reading: &reader))
    case .input: self = .input(try reader.sizedData())
    case .getReportReply:
      let (id, error): (UInt32, UInt16) = (reader.number(), reader.number())
      self = .getReportReply(id: id, error: error, data: try reader.sizedData())
    case .setReportReply: self = .setReportReply(id: reader.number(), error: reader.number())
    }
  }

  fileprivate static func cut(_ data: [UInt8], to size: UInt16) throws(UHIDError) -> [UInt8] {
    guard size <= maximumData else {
      throw UHIDError("A report has \(maximumData) bytes at most, not \(size).")
    }
    return Array(data.prefix(Int(size)))
  }

  /// The encoded event. When its last member is a report, the zeros behind the report are left out.
  package var bytes: [UInt8] {
    var writer = UHIDWriter()
    switch self {
    case .destroy: writer.number(Kind.destroy.rawValue)
    case .start(let flags):
      writer.numbers(Kind.start.rawValue, flags)
    case .stop: writer.number(Kind.stop.rawValue)
    case .open: writer.number(Kind.open.rawValue)
    case .close: writer.number(Kind.close.rawValue)
    case .output(let type, let data):
      writer.number(Kind.output.rawValue)
      writer.padded(data, to: Self.maximumData)
      writer.numbers(UInt16(min(data.count, Self.maximumData)), type)
    case .getReport(let id, let number, let type):
      writer.numbers(Kind.getReport.rawValue, id, number, type)
    case .setReport(let id, let number, let type, let data):
      writer.numbers(Kind.setReport.rawValue, id, number, type)
      writer.sized(data)
    case .create(let device):
      writer.number(Kind.create.rawValue)
      device.write(to: &writer)
    case .input(let data):
      writer.number(Kind.input.rawValue)
      writer.sized(data)
    case .getReportReply(let id, let error, let data):
      writer.numbers(Kind.getReportReply.rawValue, id, error)
      writer.sized(data)
    case .setReportReply(let id, let error):
      writer.numbers(Kind.setReportReply.rawValue, id, error)
    }
    return writer.bytes
  }
}

extension UHIDDeviceDescription {
  fileprivate init(reading reader: inout UHIDReader) throws(UHIDError) {
    name = reader.text(128)
    place = reader.text(64)
    serialNumber = reader.text(64)
    let size: UInt16 = reader.number()
    bus = reader.number()
    vendor = reader.number()
    product = reader.number()
    version = reader.number()
    _ = reader.number() as UInt32
    reportDescriptor = try UHIDEvent.cut(reader.bytes(UHIDEvent.maximumData), to: size)
  }

  fileprivate func write(to writer: inout UHIDWriter) {
    // The last byte of each stays zero, because the kernel reads C strings.
    writer.padded(Array(name.utf8.prefix(127)), to: 128)
    writer.padded(Array(place.utf8.prefix(63)), to: 64)
    writer.padded(Array(serialNumber.utf8.prefix(63)), to: 64)
    let descriptor = reportDescriptor.prefix(UHIDEvent.maximumData)
    writer.numbers(UInt16(descriptor.count), bus, vendor, product, version, UInt32(0))
    writer.bytes += descriptor
  }
}

private struct UHIDReader {
  var rest: ArraySlice<UInt8>

  /// The next `count` bytes, with zeros past the end.
  mutating func bytes(_ count: Int) -> [UInt8] {
    let found = Array(rest.prefix(count))
    rest = rest.dropFirst(count)
    return found + [UInt8](repeating: 0, count: count - found.count)
  }

  mutating func number<Number: FixedWidthInteger>() -> Number {
    let bytes = bytes(MemoryLayout<Number>.size)
    return bytes.withUnsafeBytes { $0.loadUnaligned(as: Number.self) }
  }

  mutating func text(_ count: Int) -> String {
    String(decoding: bytes(count).prefix { $0 != 0 }, as: UTF8.self)
  }

  mutating func sizedData() throws(UHIDError) -> [UInt8] {
    let size: UInt16 = number()
    return try UHIDEvent.cut(bytes(UHIDEvent.maximumData), to: size)
  }
}

private struct UHIDWriter {
  var bytes: [UInt8] = []

  mutating func number(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number) { bytes += $0 } }

  mutating func numbers<each Number: FixedWidthInteger>(_ numbers: repeat each Number) {
    repeat number(each numbers)
  }

  mutating func padded(_ data: [UInt8], to count: Int) {
    let data = data.prefix(count)
    bytes += data + [UInt8](repeating: 0, count: count - data.count)
  }

  mutating func sized(_ data: [UInt8]) {
    let data = data.prefix(UHIDEvent.maximumData)
    number(UInt16(data.count))
    bytes += data
  }
}
