internal import BindingFormats
internal import StrictJSON

extension DeviceName {
  /// Takes `deviceName`; other members are ignored, because clients send the entire record.
  init(_ object: JSONObject) throws(ErrorResponse) {
    guard let given = try object.text("deviceName") else { throw .badRequest("Send a deviceName.") }
    guard let name = DeviceName(given) else {
      throw .badRequest("A device name has 1 to \(Self.maximumLength) characters and no control characters.")
    }
    self = name
  }
}
