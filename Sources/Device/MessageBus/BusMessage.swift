#if os(Linux)
  internal import CSystemd
  internal import Foundation

  /// A message that came over the bus; its parts are read one after the other.
  package final class BusMessage {
    private let handle: OpaquePointer

    /// Keeps the message that sd-bus owns.
    init(retaining handle: OpaquePointer) { self.handle = sd_bus_message_ref(handle) }

    deinit { sd_bus_message_unref(handle) }

    /// The unique name of the sender's connection. The bus adds it, so no program can pretend to be another.
    package var sender: String? { sd_bus_message_get_sender(handle).map { String(cString: $0) } }

    /// The error in the message, in place of a result.
    var error: BusError? {
      guard let error = sd_bus_message_get_error(handle) else { return nil }
      return .refused(
        name: error.pointee.name.map { String(cString: $0) } ?? "",
        message: error.pointee.message.map { String(cString: $0) } ?? "")
    }

    /// Reads a string or an object path.
    package func string(_ type: Character = "s") throws -> String {
      let missing = "a text is missing"
      guard let text = try read(type, nil as UnsafePointer<CChar>?, missing) else {
        throw BusError.malformed(missing)
      }
      return String(cString: text)
    }

    package func bool() throws -> Bool {
      // sd-bus writes an `int`.
      try read("b", Int32(0), "a truth value is missing") != 0
    }

    package func uint32() throws -> UInt32 { try read("u", 0, "a number is missing") }

    package func strings() throws -> [String] {
      guard sd_bus_message_enter_container(handle, Character("a").signature, "s") > 0 else {
        throw BusError.malformed("a list of texts is missing")
      }
      var strings: [String] = []
      while sd_bus_message_at_end(handle, 0) == 0 { strings.append(try string()) }
      guard sd_bus_message_exit_container(handle) >= 0 else { throw BusError.malformed("a list has no end") }
      return strings
    }

    /// Reads a string that is wrapped in a variant, as properties are.
    package func variantString() throws -> String {
      try enterVariant(of: "s", "text")
      return try string()
    }

    /// Reads a number that is wrapped in a variant.
    package func variantDouble() throws -> Double {
      try enterVariant(of: "d", "a number")
      return try read("d", 0, "a property is not a number")
    }

    /// Reads a value of a basic type in place of `empty`.
    private func read<Value: BitwiseCopyable>(
      _ type: Character, _ empty: Value, _ problem: String
    ) throws -> Value {
      var value = empty
      guard sd_bus_message_read_basic(handle, type.signature, &value) > 0 else {
        throw BusError.malformed(problem)
      }
      return value
    }

    private func enterVariant(of type: String, _ what: String) throws {
      guard sd_bus_message_enter_container(handle, Character("v").signature, type) > 0 else {
        throw BusError.malformed("a property is not \(what)")
      }
    }
  }

  extension Bus.Argument {
    /// - Returns: The result of sd-bus, less than 0 on failure.
    func append(to message: OpaquePointer?) -> Int32 {
      switch self {
      case .string(let text): return Self.append(text, "s", to: message)
      case .objectPath(let path): return Self.append(path, "o", to: message)
      case .variantString(let text):
        return Self.inContainer("v", of: "s", of: message) { Self.append(text, "s", to: message) }
      case .variantUInt32(let number):
        return Self.inContainer("v", of: "u", of: message) { Self.append(number, "u", to: message) }
      case .variantByte(let byte):
        return Self.inContainer("v", of: "y", of: message) { Self.append(byte, "y", to: message) }
      case .uint32(let number): return Self.append(number, "u", to: message)
      case .int32(let number): return Self.append(number, "i", to: message)
      case .strings(let texts):
        return Self.inContainer("a", of: "s", of: message) {
          Self.all(texts) { Self.append($0, "s", to: message) }
        }
      case .properties(let properties):
        return Self.inContainer("a", of: "{sv}", of: message) {
          Self.all(properties) { property in
            Self.inContainer("e", of: "sv", of: message) {
              let result = Self.append(property.name, "s", to: message)
              return result < 0 ? result : property.value.append(to: message)
            }
          }
        }
      }
    }

    private static func append(_ text: String, _ type: Character, to message: OpaquePointer?) -> Int32 {
      text.withCString { sd_bus_message_append_basic(message, type.signature, $0) }
    }

    private static func append(
      _ number: some FixedWidthInteger, _ type: Character, to message: OpaquePointer?
    )
      -> Int32
    {
      withUnsafeBytes(of: number) {
        sd_bus_message_append_basic(message, type.signature, $0.baseAddress)
      }
    }

    /// Appends each until one fails.
    private static func all<Element>(_ elements: [Element], _ append: (Element) -> Int32) -> Int32 {
      for element in elements {
        let result = append(element)
        if result < 0 { return result }
      }
      return 0
    }

    private static func inContainer(
      _ kind: Character, of type: String, of message: OpaquePointer?, _ append: () -> Int32
    ) -> Int32 {
      var result = sd_bus_message_open_container(message, kind.signature, type)
      if result >= 0 { result = append() }
      return result < 0 ? result : sd_bus_message_close_container(message)
    }
  }

  extension Character {
    /// A D-Bus type code as sd-bus takes it.
    fileprivate var signature: CChar { CChar(bitPattern: asciiValue ?? 0) }
  }
#endif
