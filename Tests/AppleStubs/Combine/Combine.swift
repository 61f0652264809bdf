// What of Combine our sources use, as far as types go. See docs/apple.md.
public protocol ObservableObject: AnyObject {}

public final class PassthroughSubject<Output, Failure: Error> {
  public init() {}
  public func send(_ input: Output) {}
}
