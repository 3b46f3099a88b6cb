// The map as a component of Streamlit.

export default showMap;
