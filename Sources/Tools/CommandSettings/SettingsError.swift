/// What is wrong with a file of settings, with a variable, or with the name of a profile: one sentence with what to do next.
package struct SettingsError: Error, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
