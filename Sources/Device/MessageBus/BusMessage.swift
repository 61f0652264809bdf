#if os(Linux)
  internal import CSystemd
  internal import Foundation

  /// A message that came over the bus; its parts are read one after the other.
  final class BusMessage {
    private let handle: OpaquePointer

    /// Keeps the message that sd-bus owns.
    init(retaining handle: OpaquePointer) { self.handle = sd_bus_message_ref(handle) }

    deinit { sd_bus_message_unref(handle) }

    /// The unique name of the connection that sent it. The bus puts it in, so no program can pretend to be another.
    var sender: String? { sd_bus_message_get_sender(handle).map { String(cString: $0) } }

    /// The error that it carries instead of a result.
    var error: BusError? {
      guard let error = sd_bus_message_get_error(handle) else { return nil }
      return .refused(
        name: error.pointee.name.map { String(cString: $0) } ?? "",
        message: error.pointee.message.map { String(cString: $0) } ?? "")
    }

    /// Reads a string or an object path.
    func string(_ type: Character = "s") throws -> String {
      var text: UnsafePointer<CChar>?
      guard sd_bus_message_read_basic(handle, type.signature, &text) > 0, let text else {
        throw BusError.malformed("a text is missing")
      }
      return String(cString: text)
    }

    func bool() throws -> Bool {
      // sd-bus writes an `int`.
      var value: Int32 = 0
      guard sd_bus_message_read_basic(handle, Character("b").signature, &value) > 0 else {
        throw BusError.malformed("a truth value is missing")
      }
      return value != 0
    }

    func strings() throws -> [String] {
      guard sd_bus_message_enter_container(handle, Character("a").signature, "s") > 0 else {
        throw BusError.malformed("a list of texts is missing")
      }
      var strings: [String] = []
      while sd_bus_message_at_end(handle, 0) == 0 { strings.append(try string()) }
      guard sd_bus_message_exit_container(handle) >= 0 else { throw BusError.malformed("a list has no end") }
      return strings
    }

    /// Reads a string that is wrapped in a variant, as properties are.
    func variantString() throws -> String {
      guard sd_bus_message_enter_container(handle, Character("v").signature, "s") > 0 else {
        throw BusError.malformed("a property is no text")
      }
      return try string()
    }
  }

  extension Character {
    /// A D-Bus type code as sd-bus takes it.
    fileprivate var signature: CChar { CChar(bitPattern: asciiValue ?? 0) }
  }
#endif
