// What of SwiftUI the screens in Examples/Wallet use, as far as types go; written after Apple's documentation.
@_exported public import Foundation
@_exported public import Observation

// MARK: Views

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  public var body: Never { return fatalError() }
}

extension Optional: View where Wrapped: View {
  public var body: Never { return fatalError() }
}

/// A view that the system draws.
public protocol SystemView: View where Body == Never {}

extension SystemView {
  public var body: Never { return fatalError() }
}

public struct TupleView<Content>: SystemView {}

@resultBuilder public enum ViewBuilder {
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
    (repeat each Content)
  > {
    TupleView()
  }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

public struct Text: SystemView {
  public init<S: StringProtocol>(_ content: S) {}
}

public struct Spacer: SystemView {
  public init() {}
}

public struct TextField: SystemView {
  public init(_ title: String, text: Binding<String>) {}
}

public struct SecureField: SystemView {
  public init(_ title: String, text: Binding<String>) {}
}

public struct Toggle: SystemView {
  public init(_ title: String, isOn: Binding<Bool>) {}
}

public struct Button: SystemView {
  public init(_ title: String, action: @escaping @MainActor () -> Void) {}
}

// MARK: Layout

public struct VStack<Content: View>: SystemView {
  public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
}

public struct HStack<Content: View>: SystemView {
  public init(spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
}

public struct Form<Content: View>: SystemView {
  public init(@ViewBuilder content: () -> Content) {}
}

public struct Section<Content: View>: SystemView {
  public init(_ title: String, @ViewBuilder content: () -> Content) {}
}

public struct List<Content: View>: SystemView {
  public init<Data: RandomAccessCollection>(
    _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Content
  ) where Data.Element: Identifiable {}
}

public struct ForEach<Content: View>: SystemView {
  public init<Data: RandomAccessCollection, ID: Hashable>(
    _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) {}
}

public struct NavigationStack<Content: View>: SystemView {
  public init(@ViewBuilder root: () -> Content) {}
}

public struct NavigationLink<Label: View, Destination: View>: SystemView {
  public init(@ViewBuilder destination: () -> Destination, @ViewBuilder label: () -> Label) {}
}

// MARK: Modifiers

public enum Font { case title, subheadline }

public enum UIKeyboardType { case numberPad }

extension View {
  public func font(_ font: Font?) -> some View { self }
  public func padding() -> some View { self }
  public func disabled(_ disabled: Bool) -> some View { self }
  public func keyboardType(_ type: UIKeyboardType) -> some View { self }
  public func navigationTitle(_ title: String) -> some View { self }
  public func toolbar<Content: View>(@ViewBuilder content: () -> Content) -> some View { self }
  public func task(_ action: @escaping @Sendable @isolated(any) () async -> Void) -> some View { self }
  public func sheet<Content: View>(isPresented: Binding<Bool>, @ViewBuilder content: @escaping () -> Content)
    -> some View
  {
    self
  }
  public func sheet<Item: Identifiable, Content: View>(
    item: Binding<Item?>, @ViewBuilder content: @escaping (Item) -> Content
  ) -> some View { self }
  public func alert<Actions: View>(
    _ title: String, isPresented: Binding<Bool>, @ViewBuilder actions: () -> Actions
  ) -> some View { self }
}

// MARK: State

@propertyWrapper public struct State<Value> {
  public let wrapped: Value
  public init(wrappedValue: Value) { wrapped = wrappedValue }
  public var wrappedValue: Value {
    get { wrapped }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { Binding { [wrapped] in wrapped } }
}

@propertyWrapper public struct Binding<Value> {
  private let read: () -> Value
  init(read: @escaping () -> Value) { self.read = read }
  public var wrappedValue: Value {
    get { read() }
    nonmutating set {}
  }
}

@dynamicMemberLookup @propertyWrapper public struct Bindable<Value: AnyObject & Observable> {
  public var wrappedValue: Value
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public var projectedValue: Bindable<Value> { self }
  public subscript<Member>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Member>) -> Binding<Member>
  {
    let object = wrappedValue
    return Binding { object[keyPath: keyPath] }
  }
}

public struct DismissAction {
  @MainActor public func callAsFunction() {}
}

public struct EnvironmentValues {
  public var dismiss: DismissAction { DismissAction() }
}

@propertyWrapper public struct Environment<Value> {
  private let keyPath: KeyPath<EnvironmentValues, Value>
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }
  public var wrappedValue: Value { EnvironmentValues()[keyPath: keyPath] }
}

// MARK: App

@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
  @MainActor @preconcurrency init()
}

extension App {
  @MainActor public static func main() {}
}

@MainActor @preconcurrency public protocol Scene {}

@resultBuilder public enum SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup<Content: View>: Scene {
  public init(@ViewBuilder content: () -> Content) {}
}
