import Foundation

@MainActor public final class UIDevice {
  public static let current = UIDevice()
  public var name: String { "" }
}
