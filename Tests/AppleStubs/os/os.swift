// What of the module os our sources use, as far as types go. See docs/apple.md.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
  private let state: State
  public init(initialState: State) where State: Sendable { state = initialState }
  public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
    var state = state
    return try body(&state)
  }
}

public final class OSLog: @unchecked Sendable {}

public struct OSLogType: RawRepresentable, Equatable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  public static let debug = Self(rawValue: 2)
  public static let info = Self(rawValue: 1)
  public static let error = Self(rawValue: 16)
  public static let fault = Self(rawValue: 17)
}

public struct OSLogPrivacy: Sendable {
  public static var auto: OSLogPrivacy { Self() }
  public static var `public`: OSLogPrivacy { Self() }
}

public struct OSLogInterpolation: StringInterpolationProtocol {
  public init(literalCapacity: Int, interpolationCount: Int) {}
  public mutating func appendLiteral(_ literal: String) {}
  public mutating func appendInterpolation(
    _ argumentString: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .auto
  ) {}
}

public struct OSLogMessage: ExpressibleByStringInterpolation {
  public init(stringInterpolation: OSLogInterpolation) {}
  public init(stringLiteral value: String) {}
}

public struct Logger: @unchecked Sendable {
  public init(_ logObj: OSLog) {}
  public func log(level: OSLogType, _ message: OSLogMessage) {}
}
