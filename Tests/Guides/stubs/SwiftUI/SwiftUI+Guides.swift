// What the published guides use of SwiftUI beyond Tests/AppleStubs: declarations without behaviour, after Apple's documentation.
import Foundation
public import UIKit

open class UIHostingController<Content: View>: UIViewController {
  public init(rootView: Content) { super.init() }
}

public struct NavigationView<Content: View>: SystemView {
  public init(@ViewBuilder content: () -> Content) {}
}

public enum HorizontalAlignment: Sendable { case leading, center, trailing }
public enum TextAlignment: Sendable { case leading, center, trailing }
public enum NavigationBarTitleDisplayMode: Sendable { case automatic, inline, large }
public enum Edge: Sendable {
  public enum Set: Sendable { case vertical, horizontal }
}
public struct Color: Sendable {
  public static let secondary = Color()
}
public enum ToolbarItemPlacement: Sendable { case cancellationAction, confirmationAction }

public struct ToolbarItem<Content: View>: SystemView {
  public init(placement: ToolbarItemPlacement, @ViewBuilder content: () -> Content) {}
}

extension VStack {
  public init(alignment: HorizontalAlignment, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {
    self.init(spacing: spacing, content: content)
  }
}

extension Button {
  public init<Label: View>(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {
    self.init("", action: action)
  }
}

extension View {
  public func multilineTextAlignment(_ alignment: TextAlignment) -> some View { self }
  public func padding(_ edges: Edge.Set, _ length: CGFloat) -> some View { self }
  public func foregroundColor(_ color: Color?) -> some View { self }
  public func navigationBarTitleDisplayMode(_ mode: NavigationBarTitleDisplayMode) -> some View { self }
}

extension Font {
  public static var body: Font { .title }
  public static var caption: Font { .title }
  public static var headline: Font { .title }
}

extension List {
  public init<Data: RandomAccessCollection, ID: Hashable>(
    _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> Content
  ) {}
}
