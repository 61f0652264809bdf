import DeviceKeys

extension Output {
  /// Ends a command that had to leave out records which cannot be read, after it has shown the others. Does nothing without faults.
  ///
  /// - Throws: The last of `faults`; the others are remarks.
  static func end(with faults: [DeviceKeyError]) throws {
    for fault in faults.dropLast() { remark(PlainReason.of(fault)) }
    if let last = faults.last { throw last }
  }
}
