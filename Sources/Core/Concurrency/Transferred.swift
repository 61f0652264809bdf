/// Hands a value that is not `Sendable` over to the only task that uses it from then on.
///
/// Apps' delegates, collectors, selectors and closures are ordinary objects. The sender does not touch the value again until
/// that task has ended, or, when the task is abandoned, never again.
// Sendable because of that rule, which every use follows: the value has one user at a time. What an object does besides that
// is up to it, as its documentation says.
package struct Transferred<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }
}
