/// Hands a value to the one task that works with it.
///
/// Apps' collectors, selectors and authenticators are ordinary classes. A flow hands them to a child task and touches them
/// no more until that task has ended, or, when it is abandoned, never again.
// Sendable because of that rule, which every use follows: there is one user at a time.
struct Unshared<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
