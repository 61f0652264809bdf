// What of Combine our sources use, as far as types go. See docs/apple.md.
public protocol ObservableObject: AnyObject {}
