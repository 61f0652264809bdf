/// Something that is handed to one task, which alone uses it from then on.
// The caller gives its value up: it is an app's closure, object or dictionary, which the earlier SDK's interface hands over
// to another thread in the same way. Nothing here uses it from two tasks.
struct Handed<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
